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

export interface GeneratorOptions {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly policies: LivePolicies;
  readonly lookUps: LookUps;
  readonly namespaces: Namespaces;
  readonly roles: Roles;
  readonly turns?: EvaluationTurns | undefined;
  /** Whether `listener` is asked about requests. */
  readonly receivesRequests: boolean;
  /** Takes every review for the API server's, also without a client certificate. */
  readonly trustsReviews: boolean;
  /** Whether reviews can be trusted at all: by `trustsReviews`, or because the API server authenticates itself. */
  readonly canTrust: boolean;
  readonly events: EventRecorder;
  readonly metrics: Registry;
  readonly controllerMetrics: Pick<ControllerMetrics, 'forQueue'>;
  /** Where the checkpoint, the marks and the outboxes are. */
  readonly namespace: string;
  readonly installation: string;
  /** Legal in an object's name, and the same after a restart. */
  readonly replica: string;
  readonly onProblem?: OnPolicyProblem | undefined;
  /** How long a request may take from its admission until it is stored; 90 s by default. */
  readonly persistMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Generator {
  /** The leader's work, and on every replica the outbox. */
  readonly runnables: readonly Runnable[];
  /** Takes a request that admission let through; for rules that need it. */
  readonly collect: CollectReview;
  /** The same as a webhook of its own. */
  readonly listener: ReturnType<typeof createRequestListener>;
}

const kindsMs = 30_000;
const steadyMs = 60_000;

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
  /** Which rules need the outbox depends on the kinds the server has. */
  const learnKinds = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        types = await discovery.list({ signal });
        table = undefined;
      } catch (thrown) {
        if (!signal.aborted) log.warn('kinds cannot be discovered', { error: errorMessage(thrown) });
      }
      await clock.sleep(types.length === 0 ? 1_000 : kindsMs, signal).catch(() => {});
    }
  };
  /** A term that fails (a server that restarts, a namespace that is not there yet) is begun again. */
  const lead = async (signal: AbortSignal) => {
    for (let failures = 0; !signal.aborted; ) {
      const begunMs = clock.monotonicMs();
      try {
        await runLeaderSession({ ...options, queueMetrics, recorder: recorder, log }, signal);
      } catch (thrown) {
        if (signal.aborted) return;
        if (clock.monotonicMs() - begunMs > steadyMs) failures = 0;
        log.error('generation failed and begins again', { error: errorMessage(thrown) });
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
          await Promise.all([outbox.run(signal), learnKinds(signal)]);
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
