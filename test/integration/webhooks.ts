import { Registry } from 'prom-client';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { createControllerMetrics, createManager, createSoleLeadership } from '../../src/controller/index.ts';
import { createInformerFactory, type KubeConnection } from '../../src/kube/index.ts';
import { createWebhooks, type Reviewer, type WebhooksOptions } from '../../src/webhook/index.ts';

export interface RunningWebhooks {
  readonly metrics: Registry;
  isSettled(): boolean;
  stop(): Promise<void>;
}

/** A webhook for ConfigMaps in this process, with certificates and registration as the program has them. */
export function runWebhooks(
  client: KubeConnection,
  reviewer: Reviewer,
  options: Partial<WebhooksOptions> & { readonly leads?: boolean } = {},
): RunningWebhooks {
  const informers = createInformerFactory({ client, log: silentLogger });
  const metrics = new Registry();
  const webhooks = createWebhooks({
    client,
    informers,
    installation: 'hooks',
    namespace: 'hooks',
    server: { host: '127.0.0.1', port: 0 },
    address: (port) => ({ url: `https://127.0.0.1:${port}` }),
    certificate: { hosts: ['127.0.0.1'] },
    exemptNamespaces: ['kube-system', 'hooks'],
    removeOnStop: true,
    events: { record: () => {} },
    leadershipGroup: 'controllers',
    metrics,
    controllerMetrics: createControllerMetrics(metrics),
    clock: systemClock,
    log: silentLogger,
    ...options,
  });
  const operations = ['CREATE'];
  webhooks.add({
    reviewer,
    registration: {
      name: 'test',
      type: 'validating',
      entries: async () => [
        {
          name: 'test',
          path: `/${reviewer.path}`,
          failurePolicy: 'Fail',
          timeoutSeconds: 10,
          rules: [{ operations, apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], scope: '*' }],
        },
      ],
      subscribe: () => () => {},
    },
  });
  const end = new AbortController();
  const manager = createManager({
    runnables: [
      ...webhooks.runnables().filter(({ needsLeadership }) => (options.leads ?? true) || needsLeadership === undefined),
      { name: 'informers', order: 100, run: (signal) => informers.run(signal) },
    ],
    leadership: [createSoleLeadership('controllers')],
    pollMs: 5,
  });
  const running = manager.run(end.signal);
  return {
    metrics,
    isSettled: () => manager.isReady().ready && (options.leads === false || webhooks.isRegistered),
    async stop() {
      end.abort();
      await running;
    },
  };
}
