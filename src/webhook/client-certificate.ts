import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ReviewError } from './review.ts';

/** Authentication of the API server by the client certificate that it presents to webhooks (AdmissionConfiguration). */
export interface ClientAuthentication {
  /** PEM of the authorities that sign the API server's client certificate. */
  readonly authorities: string;
  /** Accepted common names; if empty, every certificate of the authorities is accepted. */
  readonly names: readonly string[];
  /** Rejects reviews of unauthenticated peers. */
  readonly required: boolean;
}

export type Authenticate = (socket: Socket) => boolean;

/** Whether the peer of a connection is the API server. Decided once per connection. */
export function createAuthenticate(authentication: ClientAuthentication | undefined): Authenticate {
  if (!authentication) return () => false;
  const known = new WeakMap<Socket, boolean>();
  return (socket) => {
    let isAuthenticated = known.get(socket);
    if (isAuthenticated === undefined) {
      isAuthenticated = hasAcceptedCertificate(socket as TLSSocket, authentication.names);
      known.set(socket, isAuthenticated);
    }
    return isAuthenticated;
  };
}

/** `authorized` alone is not enough: Node sets it for a resumed TLS 1.3 session that never had a certificate. */
function hasAcceptedCertificate(socket: TLSSocket, names: readonly string[]): boolean {
  if (!socket.authorized || socket.getPeerX509Certificate() === undefined) return false;
  const { CN } = socket.getPeerCertificate().subject ?? {};
  return names.length === 0 || (typeof CN === 'string' && names.includes(CN));
}

export function unauthenticated(socket: Socket): ReviewError {
  return (socket as TLSSocket).getPeerX509Certificate?.() === undefined
    ? new ReviewError('review-no-client-certificate', 401, 'a client certificate of the API server is required')
    : new ReviewError('review-client-certificate', 403, 'this client certificate is not accepted');
}
