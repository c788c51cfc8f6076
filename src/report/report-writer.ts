import { ownerLabel } from '../api/index.ts';
import { type Clock, errorMessage, type Logger, retryOf } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { Comparisons } from './comparisons.ts';
import { abortLater, every } from './loop.ts';
import type { ReportMetrics, WriteOperation, WriteOutcome } from './metrics.ts';
import { type KnownForm, type ObservedReport, OwnReports } from './own-reports.ts';
import type { ReportChanges } from './report-changes.ts';
import { isSameReport, renderReport, typeForNamespace } from './report-object.ts';
import type { ResultIndex } from './result-index.ts';
import type { ScanProgress } from './scan-state.ts';
import { WriteLanes } from './write-lanes.ts';
import { WriteRate, type WriteRateLimits } from './write-rate.ts';

export interface WriterLimits {
  /** Changes within this time are one write. */
  readonly debounceMs: number;
  /** How long a report waits for a rescan of its policy to end, to avoid writing it twice. */
  readonly holdMs: number;
  readonly concurrency: number;
  /** Reports read at once that are only to be compared; besides the others. */
  readonly comparisons: number;
  readonly writesPerSecond: WriteRateLimits;
}

const defaultLimits: WriterLimits = {
  debounceMs: 200,
  holdMs: 30_000,
  concurrency: 8,
  comparisons: 4,
  writesPerSecond: { least: 10, leastWhenSlow: 100, first: 200, most: 1_000 },
};

interface ReportWriterOptions {
  readonly client: KubeClient;
  readonly installation: string;
  readonly index: ResultIndex;
  readonly changes: ReportChanges;
  readonly progressOf: (policy: string | undefined) => ScanProgress;
  /** Called when a report with results of admission is stored as it must be, and with undefined when it has none. */
  readonly onAdmissionResults?: ((key: string, form: ReportForm | undefined) => void) | undefined;
  readonly limits?: Partial<WriterLimits>;
  readonly metrics: ReportMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

type ReportName = Pick<ObservedReport, 'namespace' | 'name'>;

/** Which content of which object, as only the server numbers it. */
export type ReportForm = Pick<KnownForm, 'uid' | 'generation'>;

const conflictRetryMs = 100;
const releaseMs = 50;
const foreignMs = 300_000;
const terminatingMs = 5_000;
const lastWriteMs = 500;
const logIntervalMs = 30_000;

/**
 * Reconciles report objects with the index, one key at a time. Compares contents: an object that is up to date is not
 * written. What another client may have written is read and compared whole, and what changed does not wait for that. Objects
 * without our label are never touched, and every write has the replaced version as precondition.
 */
export class ReportWriter {
  readonly reports: OwnReports;
  private readonly limits: WriterLimits;
  private queue: WriteLanes | undefined;
  private nextWarningMs = Number.NEGATIVE_INFINITY;
  private readonly foreign = new Set<string>();
  /** Changed, but not to be written yet. */
  private readonly held = new Set<string>();
  private readonly comparisons: Comparisons;

  constructor(private readonly options: ReportWriterOptions) {
    const { client, installation, log } = options;
    this.limits = { ...defaultLimits, ...options.limits };
    options.changes.listen((key) => this.onChange(key));
    this.reports = new OwnReports({ client, installation, log, onChange: (key) => this.onObjectChange(key) });
    this.comparisons = new Comparisons(options.index, this.reports);
  }

  get isIdle(): boolean {
    return this.options.changes.size === 0;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, metrics } = this.options;
    const rate = new WriteRate(clock, this.limits.writesPerSecond);
    this.queue = new WriteLanes({ clock, metrics: metrics.queue, canWait: (key) => this.canWait(key) });
    const watching = this.reports.run(signal);
    const stopReleasing = every(releaseMs, clock, () => this.releaseHeld());
    try {
      await this.reports.synced(signal);
      for (const key of this.options.changes.keys()) this.queue.addAfter(key, this.limits.debounceMs);
      await this.queue.run((key, until) => this.work(key, rate, until), signal, {
        concurrency: this.limits.concurrency,
        waitingConcurrency: this.limits.comparisons,
      });
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    } finally {
      stopReleasing();
      this.queue = undefined;
      await watching;
    }
  }

  private onChange(key: string): void {
    if (this.held.has(key)) return;
    if (this.comparisons.isDue(key) && !this.mustWait(key, this.options.progressOf)) this.comparisons.noteChange(key);
    this.queue?.addAfter(key, this.limits.debounceMs);
  }

  /** Called when the object itself changed in the cluster. */
  private onObjectChange(key: string): void {
    const { changes, clock } = this.options;
    if (this.settle(key)) return;
    this.canWait(key);
    changes.add(key, clock.monotonicMs());
  }

  /** Removes the key from the changes if the object is as desired. */
  private settle(key: string): boolean {
    if (!this.isSettled(key)) return false;
    this.options.changes.delete(key);
    this.comparisons.forget(key);
    return true;
  }

  private isSettled(key: string): boolean {
    const { index } = this.options;
    const part = index.part(key);
    return part ? this.reports.contentOf(key) === index.fingerprintOf(part) : this.reports.get(key) === undefined;
  }

  private async work(key: string, rate: WriteRate, signal: AbortSignal): Promise<void> {
    const queue = this.queue!;
    try {
      const waitMs = await this.reconcile(key, rate, signal);
      if (waitMs !== undefined) queue.addAfter(key, waitMs);
      else queue.forget(key);
    } catch (thrown) {
      if (signal.aborted) return;
      const retry = retryOf(thrown);
      if (isOverloaded(thrown)) rate.refused(typeof retry === 'object' ? retry.afterMs : 0);
      if (typeof retry === 'object') queue.addAfter(key, retry.afterMs);
      else queue.addRateLimited(key);
      this.logFailure(key, thrown);
    }
  }

  /** Whether the report is only to be compared. Remembers what it has to say, when asked first. */
  private canWait(key: string, progressOf = this.options.progressOf): boolean {
    return this.comparisons.isDue(key) && !this.mustWait(key, progressOf) && this.comparisons.isAll(key);
  }

  /** Waits while the results are unknown, or are about to change again. */
  private mustWait(key: string, progressOf: (policy: string | undefined) => ScanProgress): boolean {
    const { index, clock, changes } = this.options;
    const progress = progressOf(index.part(key)?.policy ?? this.reports.get(key)?.policy);
    if (progress !== 'changing') return progress === 'unknown';
    return clock.monotonicMs() - (changes.sinceMs(key) ?? 0) < this.limits.holdMs;
  }

  /** Checks all held keys in one pass: there may be thousands of keys and only a few policies. */
  private releaseHeld(): void {
    const known = new Map<string | undefined, ScanProgress>();
    const progressOf = (policy: string | undefined): ScanProgress => {
      const progress = known.get(policy) ?? this.options.progressOf(policy);
      known.set(policy, progress);
      return progress;
    };
    for (const key of this.held) {
      if (this.mustWait(key, progressOf)) continue;
      this.held.delete(key);
      this.canWait(key, progressOf);
      this.queue?.add(key);
    }
  }

  /** Returns when to reconcile again; undefined when the object is as desired. */
  private async reconcile(key: string, rate: WriteRate, signal: AbortSignal): Promise<number | undefined> {
    const { progressOf, clock } = this.options;
    if (this.settle(key)) return undefined;
    if (this.mustWait(key, progressOf)) {
      this.held.add(key);
      return undefined;
    }
    const isForeign = await this.compare(key, signal);
    if (isForeign) return foreignMs;
    if (this.settle(key)) return undefined;
    await rate.take(signal);
    const startMs = clock.monotonicMs();
    const waitMs = await this.write(key, signal);
    rate.succeeded(clock.monotonicMs() - startMs);
    // A change during the write has added the key to the queue again.
    this.settle(key);
    return waitMs;
  }

  private async write(key: string, signal: AbortSignal): Promise<number | undefined> {
    const { client, index, installation } = this.options;
    const part = index.part(key);
    const observed = this.reports.get(key);
    if (!part) return observed && this.remove(key, observed, signal);
    const type = typeForNamespace(part.namespace);
    const object = renderReport(part, { index, installation, replaces: observed });
    // The part may change during the write.
    const content = index.fingerprintOf(part);
    const hasAdmission = part.fromAdmission > 0;
    const operation: WriteOperation = observed ? 'update' : 'create';
    // Results of admission count only in a form that is known: the answer to the last write is waited for.
    const ending = hasAdmission ? abortLater(signal, lastWriteMs, this.options.clock) : undefined;
    const until = ending?.signal ?? signal;
    return this.attempt(key, part, operation, signal, async () => {
      const written = observed
        ? await client.replace(type, object, { metadataOnly: true, signal: until })
        : await client.create(type, object, { metadataOnly: true, signal: until });
      this.reports.noteContent(written, content);
      this.noteAdmission(key, hasAdmission ? written : undefined);
      this.foreign.delete(key);
    }).finally(ending?.release);
  }

  private remove(key: string, observed: ObservedReport, signal: AbortSignal): Promise<number | undefined> {
    const { name, namespace, uid, resourceVersion } = observed;
    const preconditions = { uid, resourceVersion };
    return this.attempt(key, { ...observed, bytes: 0 }, 'delete', signal, async () => {
      await this.options.client.delete(typeForNamespace(namespace), namespace === '' ? { name } : { name, namespace }, {
        preconditions,
        signal,
      });
      this.reports.forget(key);
      this.noteAdmission(key, undefined);
    });
  }

  private noteAdmission(key: string, object: KubeObject | undefined): void {
    const { uid = '', generation = 0 } = object?.metadata ?? {};
    this.options.onAdmissionResults?.(key, object && { uid, generation });
  }

  /**
   * Reads a report that another client may have written, and compares it with what it must say. True for one that is not
   * ours.
   */
  private async compare(key: string, signal: AbortSignal): Promise<boolean> {
    const { index } = this.options;
    const observed = this.reports.get(key);
    if (!observed || !index.part(key) || !this.comparisons.isDue(key)) return false;
    const object = await this.read(observed, signal);
    if (!object) {
      this.reports.forget(key);
      return false;
    }
    if (!this.isOurs(object)) return this.leave(key);
    this.reports.noteRead(object);
    const part = index.part(key);
    if (!part || !isSameReport(object, part, index)) return false;
    this.reports.noteContent(object, index.fingerprintOf(part));
    this.noteAdmission(key, part.fromAdmission > 0 ? object : undefined);
    return false;
  }

  /** Undefined if there is none. */
  private async read({ namespace, name }: ReportName, signal: AbortSignal): Promise<KubeObject | undefined> {
    const type = typeForNamespace(namespace);
    try {
      return await this.options.client.get<KubeObject>(type, namespace === '' ? { name } : { name, namespace }, {
        signal,
      });
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found')) return undefined;
      throw thrown;
    }
  }

  private isOurs = ({ metadata }: KubeObject): boolean => metadata.labels?.[ownerLabel] === this.options.installation;

  private leave(key: string): true {
    const { log, metrics } = this.options;
    if (!this.foreign.has(key))
      log.warn('a report of this name exists and is not ours; rename or delete it', { report: key });
    this.foreign.add(key);
    metrics.written('create', 'foreign');
    return true;
  }

  private async attempt(
    key: string,
    place: ReportName & { readonly bytes: number },
    operation: WriteOperation,
    signal: AbortSignal,
    call: () => Promise<void>,
  ): Promise<number | undefined> {
    const count = (outcome: WriteOutcome, bytes = 0) => this.options.metrics.written(operation, outcome, bytes);
    try {
      await call();
      count('done', place.bytes);
      // A deletion shows in the watch; other changes are queued already.
      return undefined;
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-conflict') || isKubeError(thrown, 'kube-already-exists')) {
        count('conflict');
        return this.readConflicting(key, place, signal);
      }
      if (isKubeError(thrown, 'kube-not-found') && operation !== 'create') {
        count('conflict');
        this.reports.forget(key);
        return conflictRetryMs;
      }
      if (operation === 'create' && isTerminating(thrown)) {
        count('refused');
        return terminatingMs;
      }
      count('failed');
      throw thrown;
    }
  }

  /** Another client wrote first: read the object, and check whether it is ours. */
  private async readConflicting(key: string, place: ReportName, signal: AbortSignal): Promise<number> {
    this.reports.forget(key);
    const object = await this.read(place, signal);
    if (object && !this.isOurs(object)) {
      this.leave(key);
      return foreignMs;
    }
    if (object) this.reports.noteRead(object);
    return conflictRetryMs;
  }

  /** Limits the number of log lines, however many reports cannot be written. */
  private logFailure(key: string, thrown: unknown): void {
    const { clock, log, changes } = this.options;
    const fields = { report: key, error: errorMessage(thrown), waiting: changes.size };
    const nowMs = clock.monotonicMs();
    if (nowMs < this.nextWarningMs) {
      log.debug('writing a report failed', fields);
      return;
    }
    this.nextWarningMs = nowMs + logIntervalMs;
    log.warn('writing reports failed; retrying', fields);
  }
}

/** The server has too much to do, or did not answer in time. */
function isOverloaded(thrown: unknown): boolean {
  return (['kube-throttled', 'kube-unavailable', 'kube-timeout'] as const).some((code) => isKubeError(thrown, code));
}

/** The namespace is being deleted or is gone; its results will be removed too. */
function isTerminating(thrown: unknown): boolean {
  if (isKubeError(thrown, 'kube-not-found')) return true;
  return isKubeError(thrown, 'kube-forbidden') && thrown.causes.some(({ reason }) => reason === 'NamespaceTerminating');
}
