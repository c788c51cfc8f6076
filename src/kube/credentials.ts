import { readFile } from 'node:fs/promises';
import { type Clock, errorMessage, SupercargoError } from '../base/index.ts';

/** A kubeconfig, credential or plugin that cannot be used. The message names it and says what to do. */
export class KubeConfigError extends SupercargoError {}

/** The credentials of one request. */
export interface Credentials {
  readonly authorization?: string | undefined;
  /** PEM; a change of either opens new connections. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** A source of credentials. Cheap enough to call before every request. */
export interface CredentialSource {
  current(signal?: AbortSignal): Promise<Credentials> | Credentials;
  /** The server returned 401 for these. True when `current` may return others now. */
  rejected(credentials: Credentials): boolean;
}

const noCredentials: Credentials = {};

export const anonymous: CredentialSource = { current: () => noCredentials, rejected: () => false };

export function staticCredentials(credentials: Credentials): CredentialSource {
  return { current: () => credentials, rejected: () => false };
}

export const bearer = (token: string): string => `Bearer ${token}`;

export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

interface FileCredentialOptions {
  readonly clock: Clock;
  readonly tokenFile?: string | undefined;
  readonly certificateFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** The credentials that do not come from a file. */
  readonly rest?: Credentials;
  /** How long the contents are used before the files are read again. */
  readonly recheckMs?: number;
}

// A service account token is replaced after 80 % of its hour, so a delay of ten seconds does not matter.
const defaultRecheckMs = 10_000;

/**
 * Credentials in files that are replaced from time to time. When a file cannot be read (it is being replaced), the last
 * contents stay in use. Only the first read must succeed.
 */
export function fileCredentials(options: FileCredentialOptions): CredentialSource {
  const { clock, recheckMs = defaultRecheckMs } = options;
  let known: Credentials | undefined;
  let readAtMs = 0;
  let reading: Promise<Credentials> | undefined;

  const read = async (): Promise<Credentials> => {
    try {
      const [token, certificate, key] = await Promise.all(
        [options.tokenFile, options.certificateFile, options.keyFile].map((path) => path && readCredentialFile(path)),
      );
      const fresh: Credentials = {
        ...options.rest,
        ...(token ? { authorization: bearer(token.trim()) } : {}),
        ...(certificate ? { certificate } : {}),
        ...(key ? { key } : {}),
      };
      // The same object as long as nothing changed: callers compare by identity.
      if (known === undefined || !sameCredentials(known, fresh)) known = fresh;
    } catch (thrown) {
      if (known === undefined) throw thrown;
    } finally {
      reading = undefined;
    }
    readAtMs = clock.monotonicMs();
    return known;
  };

  return {
    current() {
      if (known !== undefined && clock.monotonicMs() - readAtMs < recheckMs) return known;
      reading ??= read();
      return reading;
    },
    rejected(credentials) {
      if (known !== credentials) return true;
      readAtMs = Number.NEGATIVE_INFINITY;
      return true;
    },
  };
}

function sameCredentials(a: Credentials, b: Credentials): boolean {
  return a.authorization === b.authorization && a.certificate === b.certificate && a.key === b.key;
}

/** Reads a credential or certificate file. The error names the file, not its contents. */
export async function readCredentialFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new KubeConfigError('kube-config-unreadable', `cannot read ${path}: ${errorMessage(thrown)}`, {
      cause: thrown,
      retry: 'backoff',
    });
  }
}
