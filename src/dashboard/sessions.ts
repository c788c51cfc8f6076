import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';

/**
 * Tokens by the random name in a cookie: the browser never stores a token of the cluster, and a cookie that leaks is
 * good for this page alone.
 */
export interface Sessions {
  /** The token of the request, from its header or its session. */
  tokenOf(request: IncomingMessage): string | undefined;
  /** The Set-Cookie header of a new session. The user's oldest ends if there are too many. */
  open(request: IncomingMessage, token: string, user: string): string;
  /** Ends the session of the request; the Set-Cookie header that removes it. */
  close(request: IncomingMessage): string;
}

const maxSessions = 1_000;
/** One user must not end the sessions of the others. */
const maxSessionsOfUser = 50;
const lifetimeMs = 12 * 60 * 60_000;

export function createSessions(): Sessions {
  const sessions = new LRUCache<string, { readonly token: string; readonly user: string }>({
    max: maxSessions,
    ttl: lifetimeMs,
  });
  const idOf = (request: IncomingMessage) => cookieOf(request, cookieName(request));
  return {
    tokenOf(request) {
      const { authorization } = request.headers;
      const bearer = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1];
      if (bearer !== undefined) return bearer;
      const id = idOf(request);
      return id === undefined ? undefined : sessions.get(id)?.token;
    },
    open(request, token, user) {
      const id = randomBytes(32).toString('base64url');
      // The most recently used first.
      const own = [...sessions.entries()].filter(([, session]) => session.user === user);
      for (const [old] of own.slice(maxSessionsOfUser - 1)) sessions.delete(old);
      sessions.set(id, { token, user });
      return cookieHeader(request, id, lifetimeMs / 1000);
    },
    close(request) {
      const id = idOf(request);
      if (id !== undefined) sessions.delete(id);
      return cookieHeader(request, '', 0);
    },
  };
}

/** Over TLS, here or at the proxy in front. */
const isSecure = (request: IncomingMessage) =>
  (request.socket as TLSSocket).encrypted === true || request.headers['x-forwarded-proto'] === 'https';

/** Cookies ignore ports: on plain HTTP the name tells two pages on one machine apart. */
const cookieName = (request: IncomingMessage) =>
  isSecure(request) ? '__Host-supercargo' : `supercargo-${request.socket.localPort}`;

function cookieHeader(request: IncomingMessage, value: string, seconds: number): string {
  const secure = isSecure(request) ? '; Secure' : '';
  return `${cookieName(request)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}
