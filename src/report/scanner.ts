import { type Clock, createTimeSlice, errorMessage, type Logger } from '../base/index.ts';
import type { Discovery, KubeClient } from '../kube/index.ts';
import { gvkOf, renderGvr } from '../object/index.ts';
import type { ExceptionProgram } from '../policy/index.ts';
import type { LivePolicies, LookUps, PolicyChange } from '../runtime/index.ts';
import { withBackpressure } from './backpressure.ts';
import type { CheckpointFacts } from './checkpoint.ts';
import { type ClusterFacts, startClusterFacts } from './cluster-facts.ts';
import { startControllers } from './controllers.ts';
import { type KeptResults, takeCheckpoint } from './kept-results.ts';
import { KindFailures, type OnReportProblem } from './kind-failures.ts';
import { type KindWatch, startKindWatch } from './kind-watch.ts';
import { LookUpTracker } from './look-up-tracker.ts';
import { every, type ScanPace, waitFor } from './loop.ts';
import type { ReportMetrics } from './metrics.ts';
import { ObjectEvaluator } from './object-evaluator.ts';
import { PendingObjects } from './pending-objects.ts';
import { type RescanContext, runRescans } from './rescan.ts';
import type { ResultIndex } from './result-index.ts';
import type { ScanState } from './scan-state.ts';
import { type IsExcluded, kindPolicyFor, sourceOf } from './scope.ts';
import { type WatchedType, watchedTypes } from './watched-types.ts';

interface ScannerOptions {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly policies: LivePolicies;
  readonly lookUps: LookUps;
  readonly index: ResultIndex;
  /** Kept up to date by the scanner for later stages. */
  readonly state: ScanState;
  readonly isExcluded: IsExcluded;
  readonly rescanMs: number;
  readonly pace: ScanPace;
  readonly metrics: ReportMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onProblem?: OnReportProblem | undefined;
  /** Called when a watched object appeared or changed, before it is evaluated. */
  readonly onSeen?: (watch: KindWatch, key: string) => void;
}

const maxPending = 200;
const lanes = 4;
const transientRetryMs = 15_000;

/**
 * Keeps the index consistent with policies and resources: evaluates what changes, and evaluates again what other
 * changes affect.
 */
export class Scanner {
  private readonly pending = new PendingObjects(maxPending);
  private readonly state: ScanState;
  private readonly tracker: LookUpTracker;
  private readonly evaluator: ObjectEvaluator;
  private facts: ClusterFacts | undefined;
  private exceptions: readonly ExceptionProgram[] = [];
  private mustApply = true;
  private wakeControl: () => void = () => {};
  private wakeLanes: (() => void)[] = [];
  private readonly turn: () => Promise<void>;
  private readonly failures: KindFailures;
  private kept: KeptResults | undefined;
  /** When the last evaluation of everything began. */
  private scannedSeconds = 0;

  constructor(private readonly options: ScannerOptions) {
    const { lookUps, policies, index, isExcluded, clock, state } = options;
    this.state = state;
    this.failures = new KindFailures(options.onProblem ?? (() => {}));
    this.turn = createTimeSlice(clock, options.pace.sliceMs);
    this.tracker = new LookUpTracker({
      lookUps,
      onStale: (policy, namespace) => this.state.rescans.add(policy, [namespace]),
      onTransient: (policy, namespace) => {
        clock.after(transientRetryMs, () => this.state.rescans.add(policy, [namespace]));
      },
      onConfigMapUsed: () => this.facts?.followConfigMaps(),
      configMapVersion: (key) => this.facts?.configMapVersion(key),
    });
    this.evaluator = new ObjectEvaluator({
      policies,
      index,
      tracker: this.tracker,
      isExcluded,
      namespaceLabels: (namespace) => this.namespaceLabels(namespace),
      controllers: () => state.controllers,
      kept: () => this.kept,
      clock,
    });
  }

  get isIdle(): boolean {
    return (
      this.state.hasApplied &&
      !this.mustApply &&
      this.state.changedPolicies.size === 0 &&
      this.pending.size === 0 &&
      !this.state.rescans.affects(undefined) &&
      [...this.state.watches.values()].every(
        (watch) => (watch.isComplete || watch.failure !== undefined) && watch.unevaluated === 0,
      )
    );
  }

  /** Results of an earlier run, to be used by the next. */
  keep(kept: KeptResults | undefined): void {
    this.kept = kept;
  }

  /** Undefined while some results are not those of the objects and policies as they are now. */
  takeCheckpoint(program: string, reports: CheckpointFacts['reports']): Buffer | undefined {
    if (!this.isIdle || [...this.state.rescans.failedKinds].some((kind) => this.state.watches.has(kind)))
      return undefined;
    return takeCheckpoint({
      policies: this.options.policies,
      watches: this.state.watches.values(),
      index: this.options.index,
      hasLookedUp: (policy) => this.tracker.hasLookedUp(policy),
      namespaceLabels: (namespace) => this.namespaceLabels(namespace),
      reports,
      program,
      scannedSeconds: this.scannedSeconds,
    });
  }

  private namespaceLabels(namespace: string): Readonly<Record<string, string>> {
    return this.facts?.namespaceLabels(namespace) ?? {};
  }

  get oldestChangeMs(): number | undefined {
    return this.pending.oldestMs;
  }

  async policiesSynced(signal: AbortSignal): Promise<void> {
    const { policies, clock } = this.options;
    while (!policies.hasSynced && !signal.aborted) await clock.sleep(20, signal).catch(() => {});
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, policies, clock, log, rescanMs } = this.options;
    await this.policiesSynced(signal);
    if (signal.aborted) return;
    const stopListening = policies.subscribe((change) => this.onPolicyChange(change));
    this.exceptions = policies.current.exceptions;
    this.facts = startClusterFacts({
      client,
      log,
      signal,
      onNamespace: (namespace) => this.rescanNamespace(namespace),
      onConfigMap: (key, version) => this.tracker.configMapChanged(key, version),
      onConfigMapsSynced: () => this.tracker.watchSynced(),
      onDefinitions: () => {
        this.rediscover();
        // A definition is reported before its objects are served.
        clock.after(2_000, () => this.rediscover());
      },
    });
    this.state.controllers = startControllers({
      client,
      isExcluded: this.options.isExcluded,
      clock,
      log,
      signal,
      onChange: (namespace) => this.rescanPods(namespace),
    });
    const nowMs = clock.now();
    this.scannedSeconds = this.kept?.scannedSeconds ?? Math.floor(nowMs / 1000);
    const stopTimer = every(rescanMs, clock, () => this.rescanAll(), this.scannedSeconds * 1000 + rescanMs - nowMs);
    try {
      await this.facts.synced(signal);
      await this.state.controllers.ready();
      const loops = Array.from({ length: lanes }, () => this.evaluatePending(signal));
      await Promise.all([...loops, this.control(signal), runRescans(this.rescanContext(), signal)]);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    } finally {
      stopTimer();
      stopListening();
      this.failures.clearAll();
      for (const watch of this.state.watches.values()) await watch.stop();
      await this.facts.stopped();
      await this.state.controllers.stopped();
    }
  }

  /** Rescans everything, as every hour: finds changes that no watch reports. */
  rescanAll(): void {
    this.scannedSeconds = Math.floor(this.options.clock.now() / 1000);
    this.rediscover();
    for (const { key } of this.options.policies.current.programs) this.state.rescans.add(key, 'all');
  }

  private rediscover(): void {
    this.options.discovery.invalidate();
    this.scheduleApply();
  }

  private onPolicyChange(change: PolicyChange): void {
    if (change.type === 'exceptions') this.onExceptionsChange();
    else {
      const key = change.after?.key ?? change.before?.key ?? '';
      this.state.changedPolicies.add(key);
      this.scheduleApply();
    }
  }

  private onExceptionsChange(): void {
    const before = new Set(this.exceptions);
    this.exceptions = this.options.policies.current.exceptions;
    const now = new Set(this.exceptions);
    for (const one of [...before, ...now]) {
      if (before.has(one) && now.has(one)) continue;
      for (const policy of one.policies) this.state.rescans.add(policy, 'all');
    }
  }

  private rescanNamespace(namespace: string): void {
    const readers = new Set<string>();
    for (const { kindPolicies } of this.state.watches.values())
      for (const kindPolicy of kindPolicies) if (kindPolicy.readsNamespaceLabels) readers.add(kindPolicy.program.key);
    for (const { reads, policies } of this.exceptions)
      if (reads.namespaceLabels) for (const policy of policies) readers.add(policy);
    for (const policy of readers) this.state.rescans.add(policy, [namespace]);
  }

  /** The controllers of pods changed, which decide whether pods are reported on themselves. */
  private rescanPods(namespace: string): void {
    for (const [id, { type, kindPolicies }] of this.state.watches)
      if (type.group === '' && type.kind === 'Pod')
        this.state.rescans.addForKind(
          id,
          new Map(kindPolicies.map(({ program }) => [program.key, new Set([namespace])])),
        );
  }

  private scheduleApply(): void {
    this.mustApply = true;
    this.wakeControl();
  }

  /** Applies policy changes: updates the watched types and removes the results of removed rules. */
  private async control(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      if (!this.mustApply) {
        await waitFor(signal, (wake) => {
          this.wakeControl = wake;
        });
        continue;
      }
      this.mustApply = false;
      const changed = [...this.state.changedPolicies];
      try {
        await this.applyPolicies(changed, signal);
        failures = 0;
        this.state.hasApplied = true;
      } catch (thrown) {
        if (signal.aborted) return;
        this.options.log.warn('applying policies to report watches failed; retrying', { error: errorMessage(thrown) });
        this.mustApply = true;
        await this.options.clock.sleep(Math.min(30_000, 500 * 2 ** failures++), signal).catch(() => {});
      }
    }
  }

  private async applyPolicies(changed: readonly string[], signal: AbortSignal): Promise<void> {
    const { policies, discovery, index, clock } = this.options;
    const { programs } = policies.current;
    const wanted = watchedTypes(programs, await discovery.list({ signal }));
    const older = new Set(this.state.watches.values());
    for (const [id, watch] of this.state.watches) if (!wanted.has(id)) await this.endWatch(id, watch);
    // Before anything is evaluated by them: what they ask for from now on counts.
    for (const key of changed) this.tracker.forgetPolicy(key);
    for (const [id, wantedType] of wanted) {
      const watch = this.state.watches.get(id);
      if (watch) Object.assign(watch, { kindPolicies: wantedType.kindPolicies, policies: wantedType.policies });
      else this.state.watches.set(id, this.startWatch(wantedType, signal));
    }
    this.reportFailures();
    for (const key of changed) {
      const program = policies.current.get(key);
      const gone = index.removeWhere({
        isOfRule: ({ policy }) => policy === key,
        isGone: ({ rule }, reference, isFromAdmission) =>
          program === undefined ||
          isFromAdmission !== (sourceOf(program) === 'admission') ||
          !kindPolicyFor(program, gvkOf(reference))?.whole.rules.some(({ name }) => name === rule),
        sinceMs: clock.monotonicMs(),
      });
      for (const _ of gone) await this.turn();
      // Objects of newly watched kinds are evaluated by this policy anyway.
      const isKnownKind = [...older].some((watch) =>
        watch.kindPolicies.some((kindPolicy) => kindPolicy.program === program),
      );
      if (isKnownKind) this.state.rescans.add(key, 'all');
      if (policies.current.get(key) === program) this.state.changedPolicies.delete(key);
    }
  }

  private startWatch(watched: WatchedType, signal: AbortSignal): KindWatch {
    const { client, log, clock, onSeen, pace } = this.options;
    return startKindWatch({
      ...watched,
      pageSize: pace.pageSize,
      signal,
      log,
      client: withBackpressure(client, (until) => this.pending.untilRoom(until)),
      onChanged: (watch, key, object) => {
        if (!this.pending.has(watch, key)) watch.unevaluated++;
        this.pending.put(watch, key, object, clock.monotonicMs());
        onSeen?.(watch, key);
        this.wakeLanes.pop()?.();
      },
      onGone: (watch, key, uid) => {
        if (this.pending.has(watch, key)) watch.unevaluated--;
        this.pending.delete(watch, key);
        const resource = watch.resources.get(uid);
        watch.resources.delete(uid);
        if (resource) this.options.index.removeResource(resource, clock.monotonicMs());
        this.completeIfDone(watch);
      },
      onSynced: (watch) => {
        this.state.rescans.addForKind(renderGvr(watch.type), watch.dueRescans);
        watch.dueRescans.clear();
        this.completeIfDone(watch);
      },
      onFailure: () => this.reportFailures(),
    });
  }

  private reportFailures(): void {
    this.failures.update(this.state.watches.values(), (policy) => this.options.policies.current.get(policy));
  }

  private async endWatch(id: string, watch: KindWatch): Promise<void> {
    this.state.watches.delete(id);
    this.state.rescans.failedKinds.delete(id);
    this.pending.deleteAll(watch);
    await watch.stop();
    for (const resource of watch.resources.values()) {
      this.options.index.removeResource(resource, this.options.clock.monotonicMs());
      await this.turn();
    }
  }

  private completeIfDone(watch: KindWatch): void {
    if (watch.isComplete || !watch.informer.hasSynced || watch.unevaluated > 0) return;
    watch.isComplete = true;
    // Each object is seen for the first time once.
    if (this.state.hasApplied && [...this.state.watches.values()].every((one) => one.isComplete || one.failure))
      this.kept = undefined;
  }

  private async evaluatePending(signal: AbortSignal): Promise<void> {
    const { metrics, log } = this.options;
    while (!signal.aborted) {
      const next = this.pending.shift();
      if (!next) {
        await waitFor(signal, (wake) => this.wakeLanes.push(wake));
        continue;
      }
      const { watch, key, object, sinceMs } = next;
      await this.turn();
      try {
        metrics.evaluated(await this.evaluator.run({ watch, key, object, cache: new Map(), signal, sinceMs }));
      } catch (thrown) {
        if (!signal.aborted) log.error('evaluating an object failed', { key, error: errorMessage(thrown) });
      } finally {
        watch.unevaluated--;
        this.completeIfDone(watch);
      }
    }
  }

  private rescanContext(): RescanContext {
    const { client, clock, log, metrics } = this.options;
    return {
      client,
      clock,
      log,
      metrics,
      requests: this.state.rescans,
      watches: this.state.watches,
      evaluator: this.evaluator,
      turn: this.turn,
      pageSize: this.options.pace.pageSize,
    };
  }
}
