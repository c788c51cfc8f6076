import { type Clock, type Logger, rfc3339 } from '../base/index.ts';
import { type Controller, type ControllerMetrics, createController, informerSource } from '../controller/index.ts';
import { type InformerFactory, isKubeError, type KubeClient } from '../kube/index.ts';
import { type Condition, deepEqual, type KubeObject, setCondition } from '../object/index.ts';
import { type GlobalContext, globalContextType } from '../runtime/index.ts';

interface GlobalContextStatusOptions {
  readonly client: Pick<KubeClient, 'replace'>;
  readonly informers: InformerFactory;
  readonly globalContext: Pick<GlobalContext, 'stateOf'>;
  readonly metrics: Pick<ControllerMetrics, 'forController'>;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Status {
  readonly lastRefreshTime?: string;
  readonly conditions?: readonly Condition[];
}

/** Data may fail, and come back, without an event. */
const againMs = 30_000;
/** A kind that takes long to list is not ready until then. */
const patienceMs = 20_000;
const maxMessageChars = 1_000;

/** Writes whether each GlobalContextEntry has data, on the leader only. */
export function createGlobalContextStatus(options: GlobalContextStatusOptions): Controller {
  const { client, informers, globalContext, clock, log } = options;
  const informer = () => informers.for<KubeObject>(globalContextType, { isOptional: true });
  return createController({
    name: 'global-context-status',
    metrics: options.metrics,
    concurrency: 4,
    log,
    sources: [(sink, signal) => informerSource(informer())(sink, signal)],
    async reconcile(name, signal) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
      const state = await globalContext.stateOf(name, until).catch((thrown) => {
        if (signal.aborted) throw thrown;
        return { problem: 'its data is not there yet', refreshedMs: undefined };
      });
      const stored = informer().get(name);
      if (!state || !stored) return {};
      const status = statusOf(stored, state, clock.now());
      if (!deepEqual(status, stored['status'])) {
        try {
          await client.replace<KubeObject>(globalContextType, { ...stored, status }, { subresource: 'status', signal });
        } catch (thrown) {
          // A conflict: the event of the other write causes the next reconcile.
          if (!isKubeError(thrown, 'kube-conflict') && !isKubeError(thrown, 'kube-not-found')) throw thrown;
        }
      }
      return { requeueAfterMs: againMs };
    },
  });
}

function statusOf(
  stored: KubeObject,
  { problem, refreshedMs }: { readonly problem: string | undefined; readonly refreshedMs: number | undefined },
  nowMs: number,
): Status {
  const before = (stored['status'] ?? {}) as Status;
  const { generation } = stored.metadata;
  const ready =
    problem === undefined
      ? { status: 'True' as const, reason: 'Succeeded', message: 'policies can read its data' }
      : { status: 'False' as const, reason: 'Failed', message: problem.slice(0, maxMessageChars) };
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const conditions = setCondition(before.conditions, { type: 'Ready', ...ready, ...observed }, nowMs);
  const watched = before.lastRefreshTime ?? (problem === undefined ? rfc3339(nowMs) : undefined);
  const lastRefreshTime = refreshedMs === undefined ? watched : rfc3339(refreshedMs);
  return { ...(lastRefreshTime === undefined ? {} : { lastRefreshTime }), conditions };
}
