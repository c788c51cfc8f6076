import type { ResourceTemplate } from '../api/index.ts';
import type { GitAuth, GitRemote } from '../git/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { CreateError } from './errors.ts';

const secrets: ResourceType = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface RemoteSettings {
  /** Host keys for Secrets without `known_hosts`. */
  readonly knownHosts?: string | undefined;
  /** Allows a local path as the repository. Only safe where no other user can write templates. */
  readonly allowsLocal: boolean;
  /** The proxy for an address, if any. */
  readonly proxyFor?: ((url: string) => string | undefined) | undefined;
}

/** URL and credentials of a template's repository, from a Secret in the template's own namespace. */
export async function remoteOf(
  { metadata, spec }: ResourceTemplate,
  client: Pick<KubeClient, 'get'>,
  settings: RemoteSettings,
  signal: AbortSignal,
): Promise<GitRemote> {
  const { url, branch = 'main', secretRef } = spec.gitRepository;
  checkLocal(url, settings);
  const proxy = settings.proxyFor?.(url);
  const remote = { url, branch, ...(proxy === undefined ? {} : { proxy }) };
  if (secretRef === undefined) return remote;
  const secret = await readSecret(client, { name: secretRef.name, namespace: metadata.namespace ?? 'default' }, signal);
  const ca = textOf(secret, 'ca.crt');
  return {
    ...remote,
    auth: authOf(secret, isSsh(url), settings.knownHosts),
    ...(ca === undefined ? {} : { certificateAuthority: ca }),
  };
}

export function checkLocal(url: string, { allowsLocal }: RemoteSettings): void {
  if (!allowsLocal && (url.startsWith('/') || /^file:/i.test(url)))
    throw new CreateError(
      'create-template-invalid',
      'spec.gitRepository.url: a path on the machine of the controller is not allowed (create.allowLocalRepositories)',
    );
}

const isSsh = (url: string) => /^ssh:/i.test(url) || (!url.includes('://') && !url.startsWith('/'));

function authOf(secret: Secret, wantsSsh: boolean, knownHosts: string | undefined): GitAuth {
  const text = (key: string) => textOf(secret, key);
  const [key, token, username, password] = [text('ssh-privatekey'), text('token'), text('username'), text('password')];
  if (key !== undefined && (wantsSsh || (token === undefined && password === undefined))) {
    const passphrase = text('ssh-passphrase');
    return {
      kind: 'ssh',
      privateKey: key,
      ...(passphrase === undefined ? {} : { passphrase }),
      knownHosts: text('known_hosts') ?? knownHosts ?? '',
    };
  }
  if (token !== undefined) return { kind: 'token', token, ...(username === undefined ? {} : { username }) };
  if (username !== undefined && password !== undefined) return { kind: 'basic', username, password };
  throw new CreateError(
    'create-secret',
    `Secret ${nameOf(secret)} has neither token, username and password, nor ssh-privatekey`,
  );
}

/** Removes the line break that editors add at the end. */
function textOf({ data }: Secret, key: string): string | undefined {
  const value = data?.[key];
  return value === undefined
    ? undefined
    : Buffer.from(value, 'base64')
        .toString('utf8')
        .replace(/\r?\n$/, '');
}

async function readSecret(
  client: Pick<KubeClient, 'get'>,
  key: { readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<Secret> {
  try {
    return await client.get<Secret>(secrets, key, { signal });
  } catch (thrown) {
    const isMissing = isKubeError(thrown, 'kube-not-found');
    if (!isMissing && !isKubeError(thrown, 'kube-forbidden')) throw thrown;
    const why = isMissing ? 'does not exist' : 'may not be read';
    throw new CreateError('create-secret', `Secret ${key.namespace}/${key.name} ${why}`, thrown);
  }
}

const nameOf = ({ metadata }: Secret) => `${metadata.namespace}/${metadata.name}`;
