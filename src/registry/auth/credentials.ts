/** One credential. `from` names its source in messages; it is not secret. */
export type Credential =
  | {
      readonly kind: 'basic';
      readonly username: string;
      readonly password: string;
      readonly from: string;
      /** When to get a new credential from the source. */
      readonly renewAtMs?: number;
    }
  /** A refresh token that the token server exchanges (`docker login` keeps it as `identitytoken`). */
  | { readonly kind: 'identity'; readonly token: string; readonly from: string }
  /** A bearer token for the registry itself. */
  | { readonly kind: 'registry'; readonly token: string; readonly from: string };

export interface CredentialTarget {
  readonly registry: string;
  /** Kubernetes pull secrets may hold credentials for a part of a registry. */
  readonly repository?: string | undefined;
}

/**
 * A source of credentials. Called again for each new login, so that it can return short-lived credentials. All
 * credentials that it returns are tried in order.
 */
export type CredentialSource = (
  target: CredentialTarget,
  signal: AbortSignal | undefined,
) => Promise<readonly Credential[]>;

/** The credentials of several sources, in order. */
export function combineSources(...sources: readonly CredentialSource[]): CredentialSource {
  return async (target, signal) => (await Promise.all(sources.map((source) => source(target, signal)))).flat();
}

/** One user name and password for one registry. */
export function staticSource(registry: string, username: string, password: string, from: string): CredentialSource {
  const credentials: readonly Credential[] = [{ kind: 'basic', username, password, from }];
  return async (target) => (target.registry === registry ? credentials : []);
}

export const secretsOf = (credential: Credential): string[] =>
  credential.kind === 'basic'
    ? [credential.password, Buffer.from(`${credential.username}:${credential.password}`).toString('base64')]
    : [credential.token];
