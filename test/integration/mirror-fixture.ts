import { type MirroredImage, mirroredImages } from '../../src/api/index.ts';
import type { FeatureName } from '../../src/app/config.ts';
import { type Connection, connect } from '../../src/app/connect.ts';
import { createLogger, type Logger, silentLogger } from '../../src/base/index.ts';
import { parseReference } from '../../src/image/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { createRegistryClient, findMissing, type RegistryClient } from '../../src/registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../../src/registryserver/index.ts';
import {
  type FaultRegistry,
  type RegistryFault,
  type SeenRequest,
  startFaultRegistry,
} from '../support/fault-registry.ts';
import { pushImage } from '../support/push-image.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { namespaces } from './connection.ts';
import { installKinds, type RunningFeatures, type RunOptions, runFeatures } from './run-features.ts';

type MirrorConfig = NonNullable<NonNullable<RunOptions['config']>['mirror']>;

export const types: Readonly<Record<string, ResourceType>> = Object.fromEntries(
  (
    [
      ['apps', 'deployments', 'Deployment'],
      ['apps', 'daemonsets', 'DaemonSet'],
      ['apps', 'statefulsets', 'StatefulSet'],
      ['apps', 'replicasets', 'ReplicaSet'],
      ['batch', 'jobs', 'Job'],
      ['batch', 'cronjobs', 'CronJob'],
      ['', 'pods', 'Pod'],
      ['', 'secrets', 'Secret'],
      ['', 'serviceaccounts', 'ServiceAccount'],
      ['', 'events', 'Event'],
    ] as const
  ).map(([group, resource, kind]) => [kind, { group, version: 'v1', resource, kind, namespaced: true }]),
);

/** A registry that a test can take down, slow down and count requests of. */
export interface FaultyRegistry {
  readonly host: string;
  readonly seen: FaultRegistry['seen'];
  fault: (request: SeenRequest) => RegistryFault | undefined;
  gate: (request: SeenRequest) => Promise<void> | undefined;
}

/** A cluster with a source registry, a backup registry, and the program that clones from one to the other. */
export interface MirrorFixture {
  readonly cluster: Cluster;
  readonly connection: Connection;
  readonly images: RegistryClient;
  readonly source: FaultyRegistry;
  readonly backup: FaultyRegistry;
  /** The backup registry's address past all troubles. */
  readonly backupHost: string;
  /** Everything that the program logged. */
  readonly logged: () => string;
  /** Runs the program with these settings, in place of the one before; it looks at namespaces of its own alone. */
  run(mirror?: MirrorConfig, options?: RunOptions & { readonly features?: readonly FeatureName[] }): Promise<void>;
  end(): Promise<void>;
  stop(): Promise<void>;
  push(image: string, content?: string): Promise<string>;
  namespace(name: string, labels?: Readonly<Record<string, string>>): Promise<string>;
  create(object: KubeObject, options?: { readonly dryRun?: boolean }): Promise<KubeObject>;
  get(kind: string, namespace: string, name: string): Promise<KubeObject>;
  copies(): Promise<readonly MirroredImage[]>;
  /** What cannot be pulled of an image; empty when all of it can. */
  missing(reference: string): Promise<readonly string[]>;
}

export const enabled = { 'image-clone-controller': 'enabled' };

/** The connection of the program; by default the administrator's. */
export type ConnectProgram = (
  administrator: Connection,
  program: { readonly cluster: Cluster; readonly namespace: string; readonly features: readonly FeatureName[] },
) => Promise<Connection> | Connection;

export async function createMirrorFixture(
  start: () => Promise<Cluster>,
  connectProgram: ConnectProgram = (administrator) => administrator,
): Promise<MirrorFixture> {
  const [cluster, sourceServer, backupServer] = await Promise.all([
    start(),
    startRegistryServer(),
    startRegistryServer(),
  ]);
  const source = await startFaultyRegistry(sourceServer);
  const backup = await startFaultyRegistry(backupServer);
  const images = createRegistryClient();
  const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
  await installKinds(connection);
  const { client } = connection;
  const lines: string[] = [];
  const log: Logger = createLogger({ level: 'debug', destination: { write: (line: string) => void lines.push(line) } });
  let features: RunningFeatures | undefined;
  const end = async () => {
    await features?.stop();
    features = undefined;
  };
  const home = 'supercargo-system';
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: home, labels: enabled } });
  return {
    cluster,
    connection,
    images,
    source,
    backup,
    backupHost: backupServer.host,
    logged: () => lines.join(''),
    async run(mirror = {}, options = {}) {
      await end();
      const names = options.features ?? ['mirror'];
      features = await runFeatures(cluster, names, {
        log,
        connection: (administrator) => connectProgram(administrator, { cluster, namespace: home, features: names }),
        ...options,
        config: {
          namespace: home,
          // Long enough for a machine that has other things to do.
          mirror: { registry: `${backup.host}/copies`, wait: '15s', timeoutSeconds: 30, trustReviews: true, ...mirror },
          ...options.config,
        },
      });
    },
    end,
    async stop() {
      await end();
      await client.close();
      await images.close();
      await source.stop();
      await backup.stop();
      await cluster.stop();
    },
    push: (image, content) => pushImage(images, `${sourceServer.host}/${image}`, content),
    async namespace(name, labels = enabled) {
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
      return name;
    },
    create: (object, options) => client.create(types[object.kind]!, object, options),
    get: (kind, namespace, name) => client.get(types[kind]!, { namespace, name }),
    copies: async () => (await client.list<MirroredImage>(mirroredImages)).items,
    async missing(reference) {
      const { tag, digest, ...repository } = parseReference(reference);
      // Past the troubles: what the registry has, not how it answers today.
      const host = repository.registry === backup.host ? backupServer.host : repository.registry;
      return findMissing(images, { ...repository, registry: host }, (digest ?? tag)!);
    },
  };
}

async function startFaultyRegistry(server: RegistryServer): Promise<FaultyRegistry & { stop(): Promise<void> }> {
  const trouble: Pick<FaultyRegistry, 'fault' | 'gate'> = { fault: () => undefined, gate: () => undefined };
  const proxy = await startFaultRegistry({
    upstream: server.host,
    fault: (request) => trouble.fault(request),
    gate: (request) => trouble.gate(request),
  });
  return Object.assign(trouble, {
    host: proxy.host,
    seen: proxy.seen,
    async stop() {
      await proxy.stop();
      await server.stop();
    },
  });
}

export interface PodOptions {
  readonly init?: string;
  readonly secrets?: readonly string[];
  readonly serviceAccount?: string;
}

const podSpec = (image: string, { init, secrets, serviceAccount }: PodOptions) => ({
  containers: [{ name: 'main', image }],
  ...(init ? { initContainers: [{ name: 'init', image: init }] } : {}),
  ...(secrets ? { imagePullSecrets: secrets.map((name) => ({ name })) } : {}),
  ...(serviceAccount ? { serviceAccountName: serviceAccount } : {}),
});

/** A workload of any kind with one image, and with more where asked for. */
export function workload(
  kind: string,
  namespace: string,
  name: string,
  image: string,
  options: PodOptions = {},
): KubeObject {
  const labels = { app: name };
  const spec = podSpec(image, options);
  const head = { apiVersion: apiVersionOf(kind), kind, metadata: { name, namespace, labels } };
  if (kind === 'Pod') return { ...head, spec };
  const finite = { metadata: { labels }, spec: { ...spec, restartPolicy: 'Never' } };
  if (kind === 'Job') return { ...head, spec: { template: finite } };
  if (kind === 'CronJob')
    return { ...head, spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: finite } } } };
  const more = kind === 'StatefulSet' ? { serviceName: name } : {};
  return { ...head, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec }, ...more } };
}

const apiVersionOf = (kind: string) => {
  const { group, version } = types[kind]!;
  return group === '' ? version : `${group}/${version}`;
};

interface Template {
  readonly containers: readonly { readonly image: string }[];
  readonly initContainers?: readonly { readonly image: string }[];
}

/** The images of a workload: init containers first. */
export function imagesOf(object: KubeObject): readonly string[] {
  const spec = object['spec'] as Record<string, unknown>;
  const inner = object.kind === 'CronJob' ? (spec['jobTemplate'] as { spec: Record<string, unknown> }).spec : spec;
  const pod = object.kind === 'Pod' ? spec : (inner['template'] as { spec: unknown }).spec;
  const { initContainers = [], containers } = pod as unknown as Template;
  return [...initContainers, ...containers].map(({ image }) => image);
}
