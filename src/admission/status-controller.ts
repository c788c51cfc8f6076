import { type Clock, type Logger, whenAborted } from '../base/index.ts';
import {
  type Controller,
  type ControllerMetrics,
  createController,
  type ReconcileResult,
} from '../controller/index.ts';
import { type InformerFactory, isKubeError, type KubeClient } from '../kube/index.ts';
import { deepEqual, type KubeObject, keyOf } from '../object/index.ts';
import type { PolicyProgram } from '../policy/index.ts';
import { deletingPolicyTypes, type LivePolicies, typeOfPolicy } from '../runtime/index.ts';
import { celPolicyStatus } from './cel-policy-status.ts';
import { type PolicyProblems, policyStatus } from './policy-status.ts';
import type { PolicyRegistrations } from './registrations.ts';
import { findUnknownKinds, type ServedType } from './unknown-kinds.ts';

interface StatusControllerOptions {
  readonly client: KubeClient;
  readonly informers: InformerFactory;
  readonly policies: Pick<LivePolicies, 'all' | 'get' | 'subscribe'>;
  readonly registrations: Pick<PolicyRegistrations, 'isRegistered' | 'refusalOf' | 'subscribe'>;
  readonly webhooks?: PolicyWebhook | undefined;
  readonly problems?: PolicyProblems | undefined;
  /** The kinds that the cluster serves, for the condition about kinds that it does not serve. */
  readonly servedKinds?: (signal: AbortSignal) => Promise<readonly ServedType[]>;
  readonly metrics: Pick<ControllerMetrics, 'forController'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Another webhook that rules of policies need, such as that of generate rules. */
export interface PolicyWebhook {
  isRegistered(program: PolicyProgram): boolean;
  subscribe(listener: () => void): () => void;
}

const conflictPauseMs = 100;

/** The status may have been changed by somebody else, which is no change of the policy. */
const resyncMs = 5 * 60 * 1000;

/** Writes the status of each policy: whether it is ready, and if not, why. Runs on the leader only. */
export function createStatusController(options: StatusControllerOptions): Controller {
  const { client, informers, policies, registrations, clock, log } = options;

  /** Keys of policies whose webhook is not registered yet. */
  const waiting = new Set<string>();

  const reconcile = async (key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> => {
    const live = policies.get(key);
    waiting.delete(key);
    if (!live || live.object.metadata.deletionTimestamp !== undefined) return undefined;
    const type = typeOfPolicy(live.object);
    // Their status is about their runs.
    if (deletingPolicyTypes.includes(type)) return undefined;
    const current = informers.for<KubeObject>(type).get(keyOf(live.object));
    // The informer has another revision than the policy set: its event causes another reconcile.
    if (!current || current.metadata.generation !== live.object.metadata.generation) return undefined;
    const served = await options.servedKinds?.(signal).catch(() => undefined);
    const isRegistered =
      live.program !== undefined &&
      registrations.isRegistered(live.program) &&
      (options.webhooks?.isRegistered(live.program) ?? true);
    if (live.program && !isRegistered) waiting.add(key);
    const render = live.object.apiVersion.startsWith('policies.') ? celPolicyStatus : policyStatus;
    const status = render(
      { ...live, object: current },
      {
        isRegistered,
        refusal: live.program && registrations.refusalOf(live.program),
        now: clock.now(),
        problem: options.problems?.of(key),
        unknownKinds: served && findUnknownKinds(current['spec'], served),
      },
    );
    if (!status || deepEqual(status, current['status'])) return undefined;
    const { name = '', namespace, resourceVersion } = current.metadata;
    try {
      await client.replace(
        type,
        { ...current, metadata: { ...current.metadata, resourceVersion }, status } as KubeObject,
        { subresource: 'status', signal },
      );
      log.debug('policy status written', { policy: key, name, namespace });
    } catch (thrown) {
      // The informer may not have seen our last write yet.
      if (isKubeError(thrown, 'kube-conflict')) return { requeueAfterMs: conflictPauseMs };
      if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
    }
    return undefined;
  };

  return createController({
    name: 'policy-status',
    reconcile,
    concurrency: 4,
    metrics: options.metrics,
    log,
    sources: [
      async (sink, signal) => {
        const addAll = () => {
          for (const { key } of policies.all) sink.add(key);
        };
        addAll();
        const stops = [
          policies.subscribe((change) => {
            if (change.type === 'policy' && change.after) sink.add(change.after.key);
          }),
          registrations.subscribe((isChanged) => {
            for (const { key, program } of policies.all)
              if (waiting.has(key) || (program && isChanged(program))) sink.add(key);
          }),
          options.webhooks?.subscribe(() => {
            for (const key of waiting) sink.add(key);
          }),
          repeat(clock, resyncMs, addAll),
          options.problems?.subscribe((key) => sink.add(key)),
        ];
        await whenAborted(signal);
        for (const stop of stops) stop?.();
      },
    ],
  });
}

/** Until the returned function is called. */
function repeat(clock: Clock, ms: number, work: () => void): () => void {
  let cancel = () => {};
  const wait = () => {
    cancel = clock.after(ms, () => {
      work();
      wait();
    });
  };
  wait();
  return () => cancel();
}
