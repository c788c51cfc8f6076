import type { Registry } from 'prom-client';
import { backoffMs, type Clock, errorMessage, type Logger } from '../base/index.ts';
import { type ControllerMetrics, type Runnable, startOrder } from '../controller/index.ts';
import type { DiscoveredType, Discovery, EventRecorder, KubeClient } from '../kube/index.ts';
import type { EvaluationTurns, LivePolicies, LookUps, Namespaces, Roles } from '../runtime/index.ts';
import { GenerateRecorder, type OnPolicyProblem } from './generate-recorder.ts';
import { runLeaderSession } from './leader-session.ts';
import type { CollectReview } from './outbox.ts';
import { OutboxWriter } from './outbox-writer.ts';
import { createRuleTable, type RuleTable } from './rule-table.ts';
import { createRequestListener } from './webhook.ts';

interface GeneratorOptions {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly policies: LivePolicies;
  readonly lookUps: LookUps;
  readonly namespaces: Namespaces;
  readonly roles: Roles;
  readonly turns?: EvaluationTurns | undefined;
  /** Whether the webhook of `listener` is registered. */
  readonly receivesRequests: boolean;
  /** Treats every review as sent by the API server, also without a client certificate. */
  readonly trustsReviews: boolean;
  /**
   * Whether reviews can be trusted at all: by `trustsReviews`, or because the API server authenticates with a
   * certificate.
   */
  readonly canTrust: boolean;
  readonly events: EventRecorder;
  readonly metrics: Registry;
  readonly controllerMetrics: Pick<ControllerMetrics, 'forQueue'>;
  /** The namespace of the checkpoint, the once markers and the outboxes. */
  readonly namespace: string;
  readonly installation: string;
  /** Valid in an object's name, and the same after a restart. */
  readonly replica: string;
  readonly onProblem?: OnPolicyProblem | undefined;
  /** Maximum time from the admission of a request to its storage; 90 s by default. */
  readonly persistMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Generator {
  /** The leader's work, and the outbox writer of every replica. */
  readonly runnables: readonly Runnable[];
  /** Takes an admitted request, for rules that need one. */
  readonly collect: CollectReview;
  /** The same as a separate webhook. */
  readonly listener: ReturnType<typeof createRequestListener>;
}

const kindRefreshMs = 30_000;
const stableMs = 60_000;

/** Starts nothing; the runnables do. */
export function createGenerator(options: GeneratorOptions): Generator {
  const { policies, events, metrics, onProblem, discovery, clock } = options;
  const log = options.log.child({ feature: 'generate' });
  const queueMetrics = options.controllerMetrics.forQueue('generate');
  const recorder = new GenerateRecorder({ events, metrics, log, onProblem });
  let types: readonly DiscoveredType[] = [];
  let table: RuleTable | undefined;
  policies.subscribe(() => {
    table = undefined;
  });
  const currentTable = () => (table ??= createRuleTable(policies.current.programs, types));
  const outbox = new OutboxWriter({ ...options, log, recorder, table: currentTable });
  const collect: CollectReview = (request, signal) => outbox.collect(request, signal);
  /** Which rules need the outbox depends on the kinds that the server has. */
  const refreshKinds = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        types = await discovery.list({ signal });
        table = undefined;
      } catch (thrown) {
        if (!signal.aborted) log.warn('discovery failed; retrying', { error: errorMessage(thrown) });
      }
      await clock.sleep(types.length === 0 ? 1_000 : kindRefreshMs, signal).catch(() => {});
    }
  };
  /**
   * Restarts a leader session that failed, for example because the server restarts or the namespace does not exist yet.
   */
  const lead = async (signal: AbortSignal) => {
    for (let failures = 0; !signal.aborted; ) {
      const startedMs = clock.monotonicMs();
      try {
        await runLeaderSession({ ...options, queueMetrics, recorder, log }, signal);
      } catch (thrown) {
        if (signal.aborted) return;
        if (clock.monotonicMs() - startedMs > stableMs) failures = 0;
        log.error('generate leader session failed; restarting', { error: errorMessage(thrown) });
        await clock.sleep(backoffMs(failures++, { baseMs: 500, maxMs: 30_000 }), signal).catch(() => {});
      }
    }
  };
  return {
    collect,
    listener: createRequestListener({ ...options, table: currentTable, collect }),
    runnables: [
      {
        name: 'generate-outbox',
        order: startOrder.sources,
        run: async (signal) => {
          await Promise.all([outbox.run(signal), refreshKinds(signal)]);
        },
      },
      {
        name: 'generate',
        order: startOrder.controllers,
        needsLeadership: 'generate',
        run: (signal) => lead(signal),
      },
    ],
  };
}
