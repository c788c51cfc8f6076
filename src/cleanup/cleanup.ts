import { type Clock, errorMessage, type Logger, whenAborted } from '../base/index.ts';
import {
  type Controller,
  type ControllerMetrics,
  createController,
  type ReconcileResult,
} from '../controller/index.ts';
import {
  type Discovery,
  type EventRecorder,
  eventSubjectOf,
  type InformerFactory,
  isKubeError,
  type KubeClient,
} from '../kube/index.ts';
import { deepEqual, type KubeObject, keyOf } from '../object/index.ts';
import { deletingPolicyTypes, type LivePolicies, type LivePolicy, typeOfPolicy } from '../runtime/index.ts';
import { dueTime, lastRunOf, scheduleOf } from './due.ts';
import type { CleanupMetrics } from './metrics.ts';
import { type RunOptions, runPolicy } from './run.ts';
import { type DeletingStatus, type EndedRun, nextStatus } from './status.ts';
import { targetsOf } from './targets.ts';

interface CleanupOptions extends Omit<RunOptions, 'client' | 'exceptions' | 'onDeleted' | 'onFailed'> {
  readonly client: Pick<KubeClient, 'get' | 'pages' | 'delete' | 'replace'>;
  readonly discovery: Pick<Discovery, 'list'>;
  readonly informers: InformerFactory;
  readonly policies: Pick<LivePolicies, 'all' | 'get' | 'subscribe' | 'current'>;
  /** Resources that policies of namespaces may delete: `pods`, `jobs.batch`; `*` matches any characters. */
  readonly namespacedResources: readonly string[];
  /** A run that was missed is made up for only so long; without it at any time. */
  readonly startingDeadlineMs: number | undefined;
  readonly events: EventRecorder;
  readonly metrics: CleanupMetrics;
  readonly controllerMetrics: Pick<ControllerMetrics, 'forController'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const conflictPauseMs = 100;
const noteAttempts = 5;
/** A clock may be set, so nobody sleeps through more. */
const longestWaitMs = 10 * 60_000;
const firstRetryMs = 5_000;
const longestRetryMs = 5 * 60_000;

/** What this process knows and the watch may not show yet. */
interface Memory {
  readonly uid: string | undefined;
  readonly lastRunMs?: number;
  readonly retries?: number;
  readonly notBeforeMs?: number;
}

/**
 * Runs the policies when they are due and writes their status; on the leader only. The policies of one namespace take
 * turns, so that many of them do not delay those of others.
 */
export function createCleanup(options: CleanupOptions): Controller {
  const { policies, log } = options;
  const cleanup = new Cleanup(options);
  return createController({
    name: 'cleanup',
    reconcile: (key, signal) => cleanup.reconcile(key, signal),
    concurrency: 4,
    metrics: options.controllerMetrics,
    log,
    sources: [
      async (sink, signal) => {
        for (const live of policies.all) if (isOurs(live)) sink.add(turnOf(live));
        const stop = policies.subscribe((change) => {
          if (change.type === 'policy' && change.after && isOurs(change.after)) sink.add(turnOf(change.after));
        });
        await whenAborted(signal);
        stop();
      },
    ],
  });
}

const kinds: ReadonlySet<string> = new Set(deletingPolicyTypes.map(({ kind }) => kind));
const isOurs = ({ object }: LivePolicy) => kinds.has(object.kind);
const turnOf = ({ key, object }: LivePolicy) =>
  object.kind === 'DeletingPolicy' ? key : `namespace ${object.metadata.namespace ?? 'default'}`;

class Cleanup {
  private readonly memories = new Map<string, Memory>();

  constructor(private readonly options: CleanupOptions) {}

  /** Runs the first of the policies that are due, and writes what is new of the others. */
  async reconcile(turn: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { policies, clock } = this.options;
    this.forgetDeleted();
    const mine = policies.all.filter(
      (live) => isOurs(live) && turnOf(live) === turn && live.object.metadata.deletionTimestamp === undefined,
    );
    const due = mine
      .map((live) => ({ live, dueMs: this.dueOf(live) }))
      .sort((a, b) => (a.dueMs ?? Number.POSITIVE_INFINITY) - (b.dueMs ?? Number.POSITIVE_INFINITY));
    const [first] = due;
    const isDue = first?.dueMs !== undefined && first.dueMs <= clock.now();
    let isBehind = false;
    for (const { live, dueMs } of due) {
      const isFirst = live === first?.live;
      const isCurrent = isFirst && isDue ? await this.runDue(live, signal) : await this.settle(live, dueMs, signal);
      if (!isCurrent) isBehind = true;
    }
    if (isBehind) return { requeueAfterMs: conflictPauseMs };
    const next = Math.min(...mine.map((live) => this.dueOf(live) ?? Number.POSITIVE_INFINITY));
    if (!Number.isFinite(next)) return {};
    return { requeueAfterMs: Math.min(longestWaitMs, Math.max(0, next - clock.now())) };
  }

  private forgetDeleted(): void {
    for (const key of this.memories.keys()) if (!this.options.policies.get(key)) this.memories.delete(key);
  }

  private memoryOf({ key, object }: LivePolicy): Memory {
    const found = this.memories.get(key);
    return found && found.uid === object.metadata.uid ? found : { uid: object.metadata.uid };
  }

  /** The policy as the informer has it: with its status, which is no part of a revision. */
  private storedOf({ object }: LivePolicy): KubeObject {
    const found = this.options.informers.for<KubeObject>(typeOfPolicy(object)).get(keyOf(object));
    return found && found.metadata.uid === object.metadata.uid ? found : object;
  }

  private dueOf(live: LivePolicy, stored: KubeObject = this.storedOf(live)): number | undefined {
    const schedule = live.program && scheduleOf(live.object);
    if (!schedule) return undefined;
    const { clock, startingDeadlineMs } = this.options;
    const { lastRunMs = 0, notBeforeMs = 0 } = this.memoryOf(live);
    const last = Math.min(clock.now(), Math.max(lastRunOf(stored) ?? 0, lastRunMs));
    const due = dueTime(live.object, schedule, {
      lastRunMs: last > 0 ? last : undefined,
      nowMs: clock.now(),
      deadlineMs: startingDeadlineMs,
    });
    return due === undefined ? undefined : Math.max(due, notBeforeMs);
  }

  /** Runs the policy in the form that the API server has. False where ours is another. */
  private async runDue(live: LivePolicy, signal: AbortSignal): Promise<boolean> {
    const { client, clock, log } = this.options;
    const { name = '', namespace, uid, generation } = live.object.metadata;
    let stored: KubeObject;
    try {
      stored = await client.get<KubeObject>(typeOfPolicy(live.object), { name, namespace }, { signal });
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found')) return true;
      throw thrown;
    }
    const { metadata } = stored;
    if (metadata.uid !== uid || metadata.generation !== generation || metadata.deletionTimestamp !== undefined) {
      return false;
    }
    // Another leader may have run it.
    const dueMs = this.dueOf(live, stored);
    if (dueMs === undefined || dueMs > clock.now()) return this.settle(live, dueMs, signal);
    const startedMs = clock.monotonicMs();
    const run = await this.run(live, signal);
    const isDone = run.problems.length === 0 && run.refused.length === 0;
    this.options.metrics.ran(isDone ? 'success' : 'failure', (clock.monotonicMs() - startedMs) / 1000);
    if (run.mayRetry) return this.postpone(live, run);
    log.info('deleting policy ran', { policy: live.key, deleted: run.deleted, problems: run.problems });
    this.memories.set(live.key, { uid, lastRunMs: run.endedMs });
    return this.note(live, stored, run, signal);
  }

  /** Writes what a run did. Without its time, the next leader would make up for the run. */
  private async note(live: LivePolicy, read: KubeObject, run: EndedRun, signal: AbortSignal): Promise<boolean> {
    const { client, clock } = this.options;
    const { name = '', namespace, uid } = live.object.metadata;
    for (let stored = read, attempt = 1; ; attempt++) {
      const status = nextStatus(live, stored['status'] as DeletingStatus | undefined, {
        nextMs: this.dueOf(live, stored),
        run,
        nowMs: clock.now(),
      });
      if (await this.write(live, stored, status, signal)) return true;
      if (attempt >= noteAttempts) return false;
      try {
        // A label or a finalizer was written meanwhile: a run may take minutes.
        stored = await client.get<KubeObject>(typeOfPolicy(live.object), { name, namespace }, { signal });
      } catch (thrown) {
        if (isKubeError(thrown, 'kube-not-found')) return true;
        throw thrown;
      }
      if (stored.metadata.uid !== uid) return true;
    }
  }

  private async run(live: LivePolicy, signal: AbortSignal): Promise<EndedRun> {
    const { policies, discovery, events, metrics, clock, log } = this.options;
    const program = live.program!;
    const targets = targetsOf(program, await discovery.list({ signal }), this.options);
    const subject = eventSubjectOf(live.object);
    const outcome = await runPolicy(
      program,
      targets.types,
      {
        ...this.options,
        exceptions: () => policies.current.exceptions,
        onDeleted(type, object) {
          metrics.deleted(live.key, type.resource);
          const message = `deleted ${type.kind} ${keyOf(object)}`;
          events.record(subject, { type: 'Normal', reason: 'PolicyApplied', message });
          log.info('object deleted', { policy: live.key, kind: type.kind, object: keyOf(object) });
        },
        onFailed(type, object, message) {
          metrics.failed(live.key, type.resource);
          const what = object ? `${type.kind} ${keyOf(object)}: ` : '';
          events.record(subject, { type: 'Warning', reason: 'PolicyError', message: `${what}${message}` });
        },
      },
      { isCurrent: () => policies.get(live.key)?.program === program, signal },
    );
    return { ...outcome, refused: targets.refused, endedMs: clock.now() };
  }

  /** What failed is tried again before the next run is due: the server may have been away. */
  private postpone(live: LivePolicy, { problems }: EndedRun): true {
    const { clock, log } = this.options;
    const { uid, lastRunMs, retries = 0 } = this.memoryOf(live);
    const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** retries);
    log.warn('deleting policy is tried again', { policy: live.key, waitMs, problems });
    this.memories.set(live.key, {
      uid,
      retries: retries + 1,
      notBeforeMs: clock.now() + waitMs,
      ...(lastRunMs !== undefined && { lastRunMs }),
    });
    return true;
  }

  /** Writes what is new without a run: whether the policy can run, and when. */
  private settle(live: LivePolicy, nextMs: number | undefined, signal: AbortSignal): Promise<boolean> {
    const stored = this.storedOf(live);
    const status = stored['status'] as DeletingStatus | undefined;
    const retries = this.memoryOf(live).retries ?? 0;
    // The time of a second attempt is not that of the schedule.
    if (retries > 0 && status?.conditionStatus) return Promise.resolve(true);
    return this.write(live, stored, nextStatus(live, status, { nextMs, nowMs: this.options.clock.now() }), signal);
  }

  /** False if the status could not be written to what is stored. */
  private async write(
    live: LivePolicy,
    stored: KubeObject,
    status: DeletingStatus,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (stored.metadata.generation !== live.object.metadata.generation) return false;
    if (deepEqual(status, stored['status'])) return true;
    try {
      await this.options.client.replace(typeOfPolicy(live.object), { ...stored, status } as KubeObject, {
        subresource: 'status',
        signal,
      });
      return true;
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-conflict')) return false;
      if (isKubeError(thrown, 'kube-not-found')) return true;
      if (signal.aborted) throw thrown;
      this.options.log.warn('status of a deleting policy not written', {
        policy: live.key,
        error: errorMessage(thrown),
      });
      return true;
    }
  }
}
