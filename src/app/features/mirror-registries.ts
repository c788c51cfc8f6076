import { readFileSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import type { MirroredImage } from '../../api/index.ts';
import { errorMessage, UsageError } from '../../base/index.ts';
import type { RegistryTarget } from '../../image/index.ts';
import { pullSecretSource } from '../../mirror/index.ts';
import {
  awsEcrToken,
  type BlobPlaces,
  type CredentialSource,
  type CredentialTarget,
  combineSources,
  createBlobPlaces,
  createRegistryClient,
  dockerConfigSource,
  ecrCredentials,
  intersectPlaces,
  parseDockerConfig,
  proxyFromEnvironment,
  type RegistryClient,
  type RegistryClientOptions,
  staticSource,
} from '../../registry/index.ts';
import { registryNetwork } from '../registry-network.ts';
import type { FeatureEnvironment } from './feature.ts';

/** Clients for copying. */
interface MirrorRegistries {
  /** For checks of the backup registry during a request: with short time-outs. */
  readonly looking: RegistryClient;
  /** Lends the client with the credentials of an image; cached for a while, never closed while in use. */
  withClient<T>(image: MirroredImage, work: (client: RegistryClient, places: BlobPlaces) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Lent {
  readonly client: RegistryClient;
  users: number;
  isDropped: boolean;
}

const maxClients = 32;
const maxNamespaces = 1_000;

export function createMirrorRegistries(environment: FeatureEnvironment, target: RegistryTarget): MirrorRegistries {
  const { connection } = environment;
  const log = environment.log.child({ feature: 'mirror' });
  const create = clientFactory(environment, target);
  const looking = create([], { attempts: 2, retryBaseMs: 100, connectTimeoutMs: 3_000 });
  const closing = new Set<Promise<void>>();
  const closeIdle = (lent: Lent) => {
    if (!lent.isDropped || lent.users > 0) return;
    const closed = lent.client.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const clients = new LRUCache<string, Lent>({
    max: maxClients,
    dispose(lent) {
      lent.isDropped = true;
      closeIdle(lent);
    },
  });
  const known = new LRUCache<string, BlobPlaces>({ max: maxNamespaces, memoMethod: createBlobPlaces });
  /** A namespace may mount what was copied for it, with any of its secrets. */
  const placesFor = (namespaces: readonly string[]) =>
    intersectPlaces([...new Set(namespaces.length > 0 ? namespaces : [''])].map((one) => known.memo(one)));
  return {
    looking,
    async withClient({ spec }, work) {
      const refs = spec.pullSecrets ?? [];
      const id = JSON.stringify(refs);
      let lent = clients.get(id);
      if (!lent) {
        const secrets = pullSecretSource(refs, connection.client, log);
        lent = { client: create([exceptFor(target, secrets)]), users: 0, isDropped: false };
        clients.set(id, lent);
      }
      lent.users++;
      try {
        return await work(lent.client, placesFor(refs.map(({ namespace }) => namespace)));
      } finally {
        lent.users--;
        closeIdle(lent);
      }
    },
    async close() {
      clients.clear();
      await Promise.all([looking.close(), ...closing]);
    },
  };
}

/** First the workload's credentials, then those of the configuration, then those of the machine's identity. */
function clientFactory({ config, env, namespace, connection, clock, log }: FeatureEnvironment, target: RegistryTarget) {
  const { insecure, sourceSecrets, dockerConfig } = config.mirror;
  const { settings, addresses } = registryNetwork(config, [target.registry]);
  const { BACKUP_REGISTRY_USERNAME: username, BACKUP_REGISTRY_PASSWORD: password } = env;
  if (!username !== !password)
    throw new UsageError(
      'mirror-credentials',
      'set both BACKUP_REGISTRY_USERNAME and BACKUP_REGISTRY_PASSWORD, or none of them',
    );
  const own =
    username && password ? [staticSource(target.registry, username, password, 'BACKUP_REGISTRY_USERNAME')] : [];
  const refs = sourceSecrets.map((name) => ({ namespace, name }));
  const configured: readonly CredentialSource[] = [
    ...(refs.length > 0 ? [pullSecretSource(refs, connection.client, log)] : []),
    ...(dockerConfig === undefined ? [] : [fileSource(dockerConfig)]),
    ecrCredentials(awsEcrToken(), clock),
  ];
  return (sources: readonly CredentialSource[], options: RegistryClientOptions = {}) =>
    createRegistryClient({
      credentials: combineSources(...own, ...sources, ...configured),
      settings: (registry) => (insecure && registry === target.registry ? { isPlainHttp: true } : settings(registry)),
      addresses,
      proxy: proxyFromEnvironment(env),
      clock,
      log,
      ...options,
    });
}

/** Pull credentials of a workload must not be used to push. */
function exceptFor(target: RegistryTarget, source: CredentialSource): CredentialSource {
  const isBackup = ({ registry, repository = '' }: CredentialTarget) =>
    registry === target.registry && (target.prefix === '' || repository.startsWith(`${target.prefix}/`));
  return async (wanted, signal) => (isBackup(wanted) ? [] : source(wanted, signal));
}

/** Read on every login: a mounted Secret changes at run time. */
function fileSource(file: string): CredentialSource {
  return async (target, signal) => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (thrown) {
      throw new UsageError('mirror-docker-config', `cannot read mirror.dockerConfig: ${errorMessage(thrown)}`);
    }
    return dockerConfigSource(parseDockerConfig(text, file))(target, signal);
  };
}
