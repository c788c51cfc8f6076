import { Registry } from 'prom-client';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import { createManager, createSoleLeadership, startOrder } from '../../../src/controller/index.ts';
import { createGenerator, type Generator, type OnPolicyProblem } from '../../../src/generate/index.ts';
import { createEventRecorder, createInformerFactory, type KubeClient } from '../../../src/kube/index.ts';
import {
  createLivePolicies,
  createLookUps,
  createNamespaces,
  createRoles,
  type LookUps,
} from '../../../src/runtime/index.ts';
import { unreadMetrics } from '../../support/controller-metrics.ts';
import type { GenerateFixture } from './fixture.ts';

export interface RunningGenerator extends Generator {
  stop(): Promise<void>;
}

/** Generation by itself, with look-ups and reviews of the test's own. */
export async function startGenerator(
  fixture: GenerateFixture,
  options: {
    readonly lookUps?: Partial<LookUps>;
    readonly onProblem?: OnPolicyProblem;
    readonly metrics?: Registry;
    /** The client of generation, in place of the fixture's own client. */
    readonly client?: KubeClient;
  } = {},
): Promise<RunningGenerator> {
  const { discovery } = fixture.connection;
  const { client = fixture.connection.client } = options;
  const log = silentLogger;
  const informers = createInformerFactory({ client, log });
  const events = createEventRecorder({ client, component: fixture.installation, log });
  const policies = createLivePolicies({ informers, log });
  const generator = createGenerator({
    client,
    discovery,
    policies,
    namespaces: createNamespaces({ client, informers }),
    roles: createRoles({ informers }),
    receivesRequests: true,
    trustsReviews: true,
    canTrust: true,
    events,
    lookUps: {
      ...createLookUps({ client: fixture.connection.client, discovery, clock: systemClock, log }),
      ...options.lookUps,
    },
    onProblem: options.onProblem,
    metrics: options.metrics ?? new Registry(),
    controllerMetrics: unreadMetrics(),
    namespace: 'supercargo-system',
    installation: fixture.installation,
    replica: 'replica-1',
    persistMs: 1_500,
    clock: systemClock,
    log,
  });
  const manager = createManager({
    leadership: [createSoleLeadership('generate')],
    runnables: [
      {
        name: 'informers',
        order: startOrder.sources,
        run: (signal) => informers.run(signal),
        ready: () => policies.hasSynced,
      },
      { name: 'events', order: startOrder.setup, run: (signal) => events.run(signal) },
      ...generator.runnables,
    ],
  });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  return {
    ...generator,
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}
