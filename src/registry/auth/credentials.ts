/** Something to log in with. `from` says where it was found, for messages; it is no secret. */
export type Credential =
  | {
      readonly kind: 'basic';
      readonly username: string;
      readonly password: string;
      readonly from: string;
      /** From then on the source is asked for another. */
      readonly renewAtMs?: number;
    }
  /** A refresh token that the token server exchanges (`docker login` keeps it as `identitytoken`). */
  | { readonly kind: 'identity'; readonly token: string; readonly from: string }
  /** A bearer token for the registry itself. */
  | { readonly kind: 'registry'; readonly token: string; readonly from: string };

export interface CredentialTarget {
  readonly registry: string;
  /** Kubernetes' secrets may hold credentials for a part of a registry. */
  readonly repository?: string | undefined;
}

/**
 * Where credentials come from. Asked again whenever a new login is needed, so that a source may hand out short-lived
 * ones; all it names are tried in turn.
 */
export type CredentialSource = (
  target: CredentialTarget,
  signal: AbortSignal | undefined,
) => Promise<readonly Credential[]>;

/** The credentials of several sources, in their order. */
export function combineSources(...sources: readonly CredentialSource[]): CredentialSource {
  return async (target, signal) => (await Promise.all(sources.map((source) => source(target, signal)))).flat();
}

/** One name and password for one registry. */
export function staticSource(registry: string, username: string, password: string, from: string): CredentialSource {
  const credentials: readonly Credential[] = [{ kind: 'basic', username, password, from }];
  return async (target) => (target.registry === registry ? credentials : []);
}

export const secretsOf = (credential: Credential): string[] =>
  credential.kind === 'basic'
    ? [credential.password, Buffer.from(`${credential.username}:${credential.password}`).toString('base64')]
    : [credential.token];
