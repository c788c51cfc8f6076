import { Registry } from 'prom-client';
import { silentLogger } from '../base/index.ts';
import { createDiscovery, createKubeClient, staticCredentials } from '../kube/index.ts';
import { configOf } from './config.ts';
import { createEnvironment } from './environment.ts';
import { availableFeatures, loadFeature } from './features/index.ts';

interface MetricDescription {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** A metric of a registry, with fields that prom-client has and does not declare. */
interface Described {
  readonly name: string;
  readonly help: string;
  readonly type?: string;
  readonly labelNames?: readonly string[];
}

/** Settings that features require before they are wired; no connection is made. */
const servers = {
  BACKUP_REGISTRY: 'registry.example/copies',
  FAIRWINDS_INSIGHTS_HOST: 'https://insights.example',
  FAIRWINDS_TOKEN: 'none',
  FAIRWINDS_ORG: 'none',
  FAIRWINDS_CLUSTER: 'none',
};

/**
 * Every metric of the program, found by wiring all features into one registry, so that none can be missing. Wiring
 * starts nothing, so no request is sent to a cluster.
 */
export async function describeMetrics(): Promise<readonly MetricDescription[]> {
  const registry = new Registry();
  const client = createKubeClient({
    name: 'none',
    server: 'https://127.0.0.1:1',
    tls: {},
    credentials: staticCredentials({}),
    namespace: 'supercargo-system',
  });
  try {
    const config = configOf({ features: [...availableFeatures], webhook: { exposure: 'loopback' } });
    const discovery = createDiscovery({ source: client });
    const connection = { origin: { env: {} }, client, discovery, version: 'v0.0.0' };
    const environment = createEnvironment({
      config,
      connection,
      env: servers,
      metrics: registry,
      selector: undefined,
      log: silentLogger,
    });
    for (const wire of await Promise.all(availableFeatures.map(loadFeature))) wire(environment);
    environment.webhooks.runnables();
  } finally {
    await client.close();
  }
  const metrics = registry.getMetricsAsArray() as unknown as readonly Described[];
  return metrics
    .map(({ name, help, type = '', labelNames = [] }) => ({ name, type, help, labels: labelNames }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** docs/reference/metrics.md */
export function renderMetricsReference(metrics: readonly MetricDescription[]): string {
  const rows = metrics.map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help.replace(/\.$/, '')} |`,
  );
  return `# Metrics

<!-- Written by \`npm run generate:metrics\` from the metrics that the program registers. Do not edit. -->

\`supercargo run\` serves these metrics in the Prometheus format at \`/metrics\` of its status server (\`server.port\`,
8080 by default). Those of a feature are there where the feature runs. The \`workqueue_\` metrics and
\`leader_election_master_status\` carry the names that Kubernetes' own controllers use; \`name\` is the controller or the
group of controllers.

| Name | Type | Labels | Meaning |
|---|---|---|---|
${rows.join('\n')}
`;
}
