import type { Clock, Logger } from '../base/index.ts';
import type { Discovery, InformerFactory, KubeConnection, ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { type Authenticate, createClusterAccess, createLinkAccess, type Viewer } from './access.ts';
import { createApi } from './api.ts';
import { readAssets } from './assets.ts';
import { Cargo } from './cargo.ts';
import { createExplain, type ExplainRule } from './explain.ts';
import { feedCargo, type WatchedKind } from './feed.ts';
import type { Session, ShownKind } from './protocol.ts';
import { createDashboardServer } from './server.ts';
import { createStreams } from './stream.ts';
import { type SyncRun, syncRunsOf } from './sync-runs.ts';
import { createSystem } from './system.ts';
import type { TlsFiles } from './tls.ts';
import { readableOf } from './visibility.ts';

interface DashboardOptions {
  readonly host: string;
  readonly port: number;
  readonly hosts: readonly string[] | undefined;
  readonly trustedProxies: readonly string[];
  readonly tls: TlsFiles | undefined;
  /** With it, whoever has the link sees everything; without it the API server decides by bearer tokens. */
  readonly linkToken: string | undefined;
  /** The folder of the page's files. */
  readonly pageFolder: string | undefined;
  readonly client: KubeConnection;
  readonly discovery: Discovery;
  readonly explainRule: ExplainRule;
  readonly informers: InformerFactory;
  readonly installation: string;
  /** The namespace of the installation. */
  readonly namespace: string;
  /** Only objects of this namespace are read. */
  readonly only?: string | undefined;
  readonly version: string;
  readonly kubernetes: string;
  readonly cluster: string;
  readonly features: readonly string[];
  readonly configuration: object;
  readonly onListening: (port: number) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

/** The dashboard of one process: watches, API, stream and page, until the signal aborts. */
export function createDashboard(options: DashboardOptions): { run(signal: AbortSignal): Promise<void> } {
  const { client, informers, installation, clock, log } = options;
  const cargo = new Cargo(() => clock.now());
  const watched = feedCargo({ cargo, informers, installation, namespace: options.only });
  const syncRuns = followSyncRuns(options, cargo);
  const streams = createStreams({ cargo, clock });
  const isComplete = () => watched.every(isSettled);
  const sessionOf = ({ user, method, sees, isPartial = false }: Viewer): Session => ({
    user,
    method,
    version: options.version,
    cluster: options.cluster,
    features: options.features,
    access: {
      everywhere: [...sees.everywhere],
      namespaces: Object.fromEntries([...sees.namespaces].map(([kind, names]) => [kind, [...names].sort()])),
    },
    isComplete: isComplete() && !isPartial,
    lastEventId: streams.lastEventId,
  });
  const system = createSystem({ ...options, client, cargo, watched, syncRuns, streams: () => streams.size });
  return {
    async run(signal) {
      const assets = options.pageFolder === undefined ? new Map() : await readAssets(options.pageFolder);
      if (assets.size === 0) log.info('the page is not built: only its API is served');
      const server = createDashboardServer({
        ...options,
        authenticate: accessOf(options, cargo, watched, isComplete),
        api: createApi({ cargo, syncRuns, system, explain: createExplain(options), clock }),
        streams,
        assets,
        sessionOf,
      });
      await Promise.all([server.run(signal), streams.run(signal)]);
    },
  };
}

/** Its first list is complete, or there is none: the kind is not served or may not be read. */
const isSettled = ({ hasSynced, failing }: WatchedKind) => hasSynced || failing !== undefined;

function accessOf(
  { linkToken, client, clock, log, cluster }: DashboardOptions,
  cargo: Cargo,
  watched: readonly WatchedKind[],
  isComplete: () => boolean,
): Authenticate {
  const user = cluster === '' ? 'you' : cluster;
  if (linkToken !== undefined)
    return createLinkAccess({ token: linkToken, user, sees: () => readableOf(watched), isComplete });
  return createClusterAccess({ client, namespacesOf: (kind) => namespacesOf(cargo, kind), isComplete, clock, log });
}

/** Where there is something of the kind to be seen. */
function* namespacesOf(cargo: Cargo, kind: ShownKind): Generator<string> {
  const namespaced: Readonly<Record<ShownKind, readonly { values(): Iterable<{ readonly namespace: string }> }[]>> = {
    pods: [cargo.workloads, cargo.pods],
    jobs: [cargo.jobs],
    policyreports: [cargo.reports, cargo.policies, cargo.exceptions],
    imagedetecteds: [cargo.detections, cargo.scanPolicies],
    events: [cargo.events],
    vulnerabilityreports: [cargo.vulnerabilities],
    mirroredimages: [],
  };
  for (const map of namespaced[kind]) for (const { namespace } of map.values()) yield namespace;
}

function followSyncRuns(
  { informers, installation, namespace }: DashboardOptions,
  cargo: Cargo,
): () => readonly SyncRun[] {
  const name = `${installation}-sync-status`;
  const informer = informers.for<KubeObject, readonly SyncRun[]>(configMaps, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    projection: { name: 'sync-runs', project: (object) => syncRunsOf(object['data']) },
  });
  const changed = () => cargo.changed('system', 'policyreports', '');
  informer.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
  return () => informer.get(`${namespace}/${name}`) ?? [];
}
