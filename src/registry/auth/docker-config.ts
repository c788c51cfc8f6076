import { isJsonObject, type JsonObject, parseJson, UsageError } from '../../base/index.ts';
import type { Credential, CredentialSource, CredentialTarget } from './credentials.ts';
import { type HelperRunner, runHelper } from './helper.ts';

/** The login settings of a docker config.json. */
export interface DockerConfig {
  readonly auths: readonly { readonly key: string; readonly credential: Credential }[];
  /** Registry → name of the program `docker-credential-<name>`. */
  readonly credHelpers: Readonly<Record<string, string>>;
  readonly credsStore?: string | undefined;
}

/** Reads `~/.docker/config.json` or a secret of type kubernetes.io/dockerconfigjson. Errors never quote its content. */
export function parseDockerConfig(text: string, from: string): DockerConfig {
  const body = parseObject(text, from);
  const helpers = body['credHelpers'];
  const store = body['credsStore'];
  return {
    auths: parseAuths(body['auths'] ?? {}, from),
    credHelpers: isJsonObject(helpers)
      ? Object.fromEntries(
          Object.entries(helpers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
        )
      : {},
    ...(typeof store === 'string' && store !== '' ? { credsStore: store } : {}),
  };
}

/** Reads the older format kubernetes.io/dockercfg: only the map of registries. */
export function parseDockerCfg(text: string, from: string): DockerConfig {
  return { auths: parseAuths(parseObject(text, from), from), credHelpers: {} };
}

function parseObject(text: string, from: string): JsonObject {
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch {
    // The parser's error quotes the input, which may contain a password.
  }
  throw new UsageError('registry-credentials', `${from} is not a docker configuration: it is not a JSON object`);
}

function parseAuths(value: unknown, from: string): DockerConfig['auths'] {
  if (!isJsonObject(value)) throw new UsageError('registry-credentials', `${from}: "auths" is not a map of registries`);
  return Object.entries(value).flatMap(([key, entry]) => {
    const credential = isJsonObject(entry) ? credentialOf(entry, `${from} (${key})`) : undefined;
    return credential === undefined ? [] : [{ key, credential }];
  });
}

function credentialOf(entry: JsonObject, from: string): Credential | undefined {
  const text = (name: string) => (typeof entry[name] === 'string' && entry[name] !== '' ? entry[name] : undefined);
  const [identity, registry] = [text('identitytoken'), text('registrytoken')];
  if (registry !== undefined) return { kind: 'registry', token: registry, from };
  if (identity !== undefined) return { kind: 'identity', token: identity, from };
  const auth = text('auth');
  if (auth !== undefined) {
    const decoded = Buffer.from(auth, 'base64').toString('utf8').replace(/\0+$/, '');
    const colon = decoded.indexOf(':');
    if (colon <= 0) throw new UsageError('registry-credentials', `${from}: "auth" is not the base64 of user:password`);
    return { kind: 'basic', username: decoded.slice(0, colon), password: decoded.slice(colon + 1), from };
  }
  const [username, password] = [text('username'), text('password')];
  return username === undefined || password === undefined ? undefined : { kind: 'basic', username, password, from };
}

/** The key that docker uses for Docker Hub's credentials. */
const dockerHubKey = 'https://index.docker.io/v1/';
const dockerHubHosts = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

/**
 * How well a key of `auths` matches, or undefined. Hosts are compared label by label (`*.example.com` matches one
 * label, as in Kubernetes), then paths. A longer path ranks higher, an exact host ranks above a pattern.
 */
export function fitOfKey(key: string, { registry, repository = '' }: CredentialTarget): number | undefined {
  const bare = key.replace(/^https?:\/\//i, '').replace(/\/(?:v1|v2)?\/?$/, '');
  const slash = bare.indexOf('/');
  const host = (slash === -1 ? bare : bare.slice(0, slash)).toLowerCase();
  const path = slash === -1 ? '' : bare.slice(slash + 1);
  if (path !== '' && repository !== path && !repository.startsWith(`${path}/`)) return undefined;
  const wanted = registry.toLowerCase();
  if (host === wanted || (dockerHubHosts.has(host) && dockerHubHosts.has(wanted))) return path.length * 2 + 1;
  return host.includes('*') && isHostMatch(host, wanted) ? path.length * 2 : undefined;
}

function isHostMatch(pattern: string, host: string): boolean {
  const split = (text: string) => ({ labels: text.replace(/:\d+$/, '').split('.'), port: /:\d+$/.exec(text)?.[0] });
  const [wanted, have] = [split(pattern), split(host)];
  if (wanted.port !== undefined && wanted.port !== have.port) return false;
  if (wanted.labels.length !== have.labels.length) return false;
  return wanted.labels.every((label, i) => isLabelMatch(label, have.labels[i] ?? ''));
}

/** Matches `*` alone and inside a label. Does not build a regular expression from user input. */
function isLabelMatch(pattern: string, label: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return pattern === label;
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (label.length < first.length + last.length || !label.startsWith(first) || !label.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = label.indexOf(part, at);
    if (found === -1 || found + part.length > label.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

/**
 * Credentials of a docker configuration: the registry's credential helper, else its `auths`, else its credentials
 * store.
 */
export function dockerConfigSource(config: DockerConfig, run: HelperRunner = runHelper()): CredentialSource {
  return async (target, signal) => {
    const server = dockerHubHosts.has(target.registry) ? dockerHubKey : target.registry;
    const helper =
      config.credHelpers[target.registry] ??
      (dockerHubHosts.has(target.registry)
        ? (config.credHelpers['index.docker.io'] ?? config.credHelpers[dockerHubKey])
        : undefined);
    if (helper !== undefined) return run(helper, server, signal);
    const fitting = config.auths
      .map(({ key, credential }) => ({ fit: fitOfKey(key, target), credential }))
      .filter((entry): entry is { fit: number; credential: Credential } => entry.fit !== undefined)
      .sort((one, other) => other.fit - one.fit)
      .map(({ credential }) => credential);
    if (fitting.length > 0 || config.credsStore === undefined) return fitting;
    return run(config.credsStore, server, signal);
  };
}

/** The credentials of an image pull secret, by type; undefined for any other secret. */
export function parsePullSecret(
  secret: { readonly type?: string | undefined; readonly data?: Readonly<Record<string, string>> | undefined },
  from: string,
): DockerConfig | undefined {
  const decode = (key: string) => {
    const value = secret.data?.[key];
    if (value === undefined) throw new UsageError('registry-credentials', `${from} has no ${key}`);
    return Buffer.from(value, 'base64').toString('utf8');
  };
  if (secret.type === 'kubernetes.io/dockerconfigjson')
    return withoutHelpers(parseDockerConfig(decode('.dockerconfigjson'), from));
  if (secret.type === 'kubernetes.io/dockercfg') return parseDockerCfg(decode('.dockercfg'), from);
  return undefined;
}

/** Helpers are dropped: the author of a secret must not choose a program that we start. */
const withoutHelpers = ({ auths }: DockerConfig): DockerConfig => ({ auths, credHelpers: {} });
