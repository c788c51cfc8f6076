import { Registry } from 'prom-client';
import { customResourceDefinitions } from '../../src/api/index.ts';
import { type Logger, silentLogger, systemClock } from '../../src/base/index.ts';
import {
  createDiscovery,
  createInformerFactory,
  isKubeError,
  type KubeClient,
  type KubeConnection,
  type ResourceType,
} from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import {
  createReporter,
  createReportMetrics,
  type Reporter,
  type ReporterOptions,
  reportTypes,
} from '../../src/report/index.ts';
import { createLivePolicies, createLookUps, policyTypes } from '../../src/runtime/index.ts';
import { unreadMetrics } from '../support/controller-metrics.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { connectTo } from './connection.ts';

const type = (group: string, version: string, resource: string, kind: string, namespaced = true): ResourceType => ({
  group,
  version,
  resource,
  kind,
  namespaced,
});

export const types = {
  pods: type('', 'v1', 'pods', 'Pod'),
  configMaps: type('', 'v1', 'configmaps', 'ConfigMap'),
  namespaces: type('', 'v1', 'namespaces', 'Namespace', false),
  deployments: type('apps', 'v1', 'deployments', 'Deployment'),
  definitions: type('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', false),
  ...policyTypes,
  validating: type('policies.kyverno.io', 'v1', 'validatingpolicies', 'ValidatingPolicy', false),
  namespacedValidating: type('policies.kyverno.io', 'v1', 'namespacedvalidatingpolicies', 'NamespacedValidatingPolicy'),
  reports: reportTypes.namespaced,
  clusterReports: reportTypes.cluster,
} as const;

export interface ReportFixture {
  readonly client: KubeConnection;
  /** Starts a reporter as a new process would; one at a time. */
  start(options?: Partial<ReporterOptions>): Promise<Running>;
  put(type: ResourceType, object: KubeObject): Promise<KubeObject>;
  remove(type: ResourceType, name: string, namespace?: string): Promise<void>;
  /** By `namespace/name`, with what a person would compare. */
  reports(): Promise<Record<string, KubeObject>>;
  close(): Promise<void>;
}

export interface Running {
  readonly reporter: Reporter;
  /** Resolves when all that happened up to now is in reports. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** A cluster with our kinds, and reporters that come and go. */
export async function createReportFixture(cluster: Pick<Cluster, 'kubeconfigPath'>): Promise<ReportFixture> {
  const client = await connectTo(cluster);
  for (const definition of customResourceDefinitions('supercargo'))
    await client.create(types.definitions, definition).catch((thrown) => {
      if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
    });
  await eventually(async () => {
    for (const one of [types.clusterPolicy, types.policy, types.exception, types.reports, types.clusterReports])
      await client.list(one, { limit: 1 });
  });
  return {
    client,
    start: (options = {}) => startReporter(client, options),
    async put(of, object) {
      const { name = '', namespace } = object.metadata;
      try {
        return await client.create(of, object);
      } catch (thrown) {
        if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
      }
      const present = await client.get<KubeObject>(of, { name, namespace });
      const { resourceVersion, uid } = present.metadata;
      return client.replace(of, {
        ...object,
        metadata: { ...object.metadata, ...(resourceVersion ? { resourceVersion } : {}), ...(uid ? { uid } : {}) },
      });
    },
    async remove(of, name, namespace) {
      await client.delete(of, { name, namespace }, { gracePeriodSeconds: 0 }).catch((thrown) => {
        if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
      });
    },
    async reports() {
      const all = [types.reports, types.clusterReports].map((of) => client.list<KubeObject>(of));
      const items = (await Promise.all(all)).flatMap((list) => list.items);
      return Object.fromEntries(items.map((item) => [nameOf(item), item]));
    },
    close: () => client.close(),
  };
}

export async function startReporter(
  client: KubeConnection,
  options: Partial<ReporterOptions> & { readonly faulty?: KubeClient; readonly log?: Logger } = {},
): Promise<Running> {
  const log = options.log ?? silentLogger;
  const stop = new AbortController();
  const informers = createInformerFactory({ client, log });
  const policies = createLivePolicies({ informers, exceptionNamespaces: ['*'], log });
  const discovery = createDiscovery({ source: client, minRefreshMs: 0 });
  const reporter = createReporter({
    client: options.faulty ?? client,
    discovery,
    policies,
    lookUps: createLookUps({ client, discovery, clock: systemClock, log }),
    installation: 'supercargo',
    isSplit: true,
    limits: { debounceMs: 20, holdMs: 200 },
    metrics: (gauges) => createReportMetrics(new Registry(), unreadMetrics().forQueue('report'), gauges),
    clock: systemClock,
    log,
    ...options,
  });
  const running = Promise.all([informers.run(stop.signal), reporter.run(stop.signal)]);
  return {
    reporter,
    settled: () => settled(client, reporter),
    async stop() {
      stop.abort();
      await running;
    },
  };
}

/** A change of ours has been seen when the reporter was idle for a while after it; watches take some milliseconds. */
async function settled(client: KubeClient, reporter: Reporter): Promise<void> {
  let calm = 0;
  await eventually(
    async () => {
      await client.list(types.namespaces, { limit: 1 });
      calm = reporter.isIdle ? calm + 1 : 0;
      if (calm < 4) throw new Error('the reporter is at work');
    },
    { timeoutMs: 30_000, intervalMs: 25 },
  );
}

export function nameOf({ metadata }: KubeObject): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? '');
}

export interface Result {
  readonly policy: string;
  readonly rule: string;
  readonly result: string;
  readonly resources: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
  readonly [field: string]: unknown;
}

export const resultsOf = (report: KubeObject | undefined) => (report?.['results'] ?? []) as readonly Result[];

/** `pod web: rule fail`, sorted: enough to see what a report says. */
export function linesOf(report: KubeObject | undefined): string[] {
  return resultsOf(report)
    .map(({ rule, result, resources: [resource] }) => `${resource?.kind} ${resource?.name}: ${rule} ${result}`)
    .sort();
}

export const pod = (
  name: string,
  namespace: string,
  rest: { image?: string; labels?: Record<string, string> } = {},
) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, ...(rest.labels ? { labels: rest.labels } : {}) },
  spec: { containers: [{ name: 'main', image: rest.image ?? 'nginx:1.29' }] },
});

/** A policy that demands a label of pods; one rule for each name. */
export function requireLabel(
  name: string,
  rules: readonly { readonly name: string; readonly label: string }[],
  rest: { readonly spec?: object; readonly namespace?: string; readonly kinds?: readonly string[] } = {},
): KubeObject {
  return {
    apiVersion: 'kyverno.io/v1',
    kind: rest.namespace === undefined ? 'ClusterPolicy' : 'Policy',
    metadata: { name, ...(rest.namespace === undefined ? {} : { namespace: rest.namespace }) },
    spec: {
      validationFailureAction: 'Audit',
      ...rest.spec,
      rules: rules.map(({ name: rule, label }) => ({
        name: rule,
        match: { any: [{ resources: { kinds: rest.kinds ?? ['Pod'] } }] },
        validate: { message: `label ${label} is required`, pattern: { metadata: { labels: { [label]: '?*' } } } },
      })),
    },
  };
}
