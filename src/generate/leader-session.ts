import { setMaxListeners } from 'node:events';
import { type Clock, errorMessage, type Logger, onAbort } from '../base/index.ts';
import type { WorkqueueMetrics } from '../controller/index.ts';
import type { DiscoveredType, Discovery, KubeClient, ResourceType } from '../kube/index.ts';
import { gvkOf, type KubeObject, renderGvr } from '../object/index.ts';
import type { LivePolicies, LookUps, Namespaces, PolicyChange } from '../runtime/index.ts';
import type { Checkpoint, PolicyPosition } from './checkpoint.ts';
import { CheckpointStore, type OpenedCheckpoint } from './checkpoint-store.ts';
import { type Downstream, DownstreamIndex } from './downstream-index.ts';
import { DownstreamWriter } from './downstream-writer.ts';
import { FailedTriggers } from './failed-triggers.ts';
import { followProblem } from './follow-problem.ts';
import type { GenerateRecorder } from './generate-recorder.ts';
import { OnceMarkers } from './once-markers.ts';
import { type Origin, triggerIdentityOf } from './origin.ts';
import { OutboxReader } from './outbox-reader.ts';
import type { WatchPosition } from './position-tracker.ts';
import { createRuleTable, type RuleTable } from './rule-table.ts';
import { actsOnWrites, isSynchronized } from './rules.ts';
import { createRuleRunner } from './run-rules.ts';
import { Scanner } from './scanner.ts';
import { SourceFollower } from './source-follower.ts';
import { creationOf, isSince, type TriggerOperation } from './trigger.ts';
import { TriggerFollower } from './trigger-follower.ts';
import { Worker } from './worker.ts';

interface LeaderSessionOptions {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly policies: LivePolicies;
  readonly namespaces: Namespaces;
  readonly lookUps: LookUps;
  readonly recorder: GenerateRecorder;
  readonly queueMetrics: WorkqueueMetrics;
  readonly namespace: string;
  readonly installation: string;
  /** Whether requests are received. Without them, admission-bound rules cannot work. */
  readonly receivesRequests: boolean;
  /** Whether reviews can be authenticated. */
  readonly canTrust: boolean;
  readonly persistMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

const resyncMs = 10_000;
const maxWaiting = 1_000;

/** Generates while this replica leads, from the checkpoint of the previous leader. */
export async function runLeaderSession(options: LeaderSessionOptions, signal: AbortSignal): Promise<void> {
  const own = new AbortController();
  // Every informer and every call adds an abort listener.
  setMaxListeners(0, own.signal);
  const unlink = onAbort(signal, (reason) => own.abort(reason));
  try {
    await new LeaderSession(options, own).run();
  } finally {
    unlink();
  }
}

class LeaderSession {
  private readonly followers = new Map<string, TriggerFollower>();
  private readonly store: CheckpointStore;
  private readonly index: DownstreamIndex;
  private readonly writer: DownstreamWriter;
  private types: readonly DiscoveredType[] = [];
  private table: RuleTable = createRuleTable([], []);
  private positions: Readonly<Record<string, WatchPosition>> = {};
  private readonly policyPositions = new Map<string, PolicyPosition>();
  private failures = new FailedTriggers([]);
  /** Policies for which the state of their kinds was reported. */
  private reportedPolicies: ReadonlySet<string> = new Set();
  private worker!: Worker;
  private scanner!: Scanner;
  private sources!: SourceFollower;
  /** When each kind was last listed: deletions before a new list may have been missed. */
  private readonly listedAt = new Map<string, number>();

  private readonly signal: AbortSignal;
  /** The stored checkpoint until everything is watched again: an incomplete start must not overwrite it. */
  private restored: Checkpoint | undefined;
  private downstream: Checkpoint['downstream'] = {};

  constructor(
    private readonly options: LeaderSessionOptions,
    private readonly stop: AbortController,
  ) {
    this.signal = stop.signal;
    const { client, discovery, installation, namespace, clock, log } = options;
    const fieldManager = `${installation}-generate`;
    const once = new OnceMarkers({ client, namespace, installation, clock });
    this.store = new CheckpointStore({ client, namespace, installation, clock, log, current: () => this.checkpoint() });
    this.writer = new DownstreamWriter({ client, discovery, installation, fieldManager, once });
    const onChange = ({ object, origin }: Downstream, isRemoved: boolean) => {
      if (isRemoved || !this.writer.isOwnWrite(object)) this.worker.sync(origin);
    };
    this.index = new DownstreamIndex({ client, installation, log, onChange }, stop.signal);
  }

  async run(): Promise<void> {
    const { policies, discovery, log } = this.options;
    const opened = await this.store.open(this.signal);
    this.types = await discovery.list({ signal: this.signal });
    this.restore(opened);
    const running = [this.worker.run(this.signal), this.store.run(this.signal)];
    const unsubscribe = policies.subscribe((change) => this.policiesChanged(change));
    try {
      await this.followDownstream(opened.checkpoint);
      this.refresh();
      this.restored = undefined;
      const outbox = new OutboxReader({
        ...this.options,
        trigger: (one) => this.worker.trigger(one),
        isOwnRequest: (request) => this.writer.isOwnRequest(request),
        confirmableOf: (policy) => new Set(this.table.policies.get(policy)?.confirmable.map(({ name }) => name) ?? []),
      });
      running.push(this.scanner.run(this.signal), outbox.run(this.signal), this.resync());
      log.info('generation started', { policies: this.table.policies.size, kinds: this.followers.size });
      await Promise.all(running);
    } finally {
      // Stop everything that a failed leader session started.
      this.stop.abort();
      unsubscribe();
      await Promise.all([...this.followers.values()].map((follower) => follower.end()));
      await Promise.allSettled([...running, this.index.stopped(), this.sources.stopped()]);
    }
  }

  private restore({ checkpoint, sinceMs }: OpenedCheckpoint): void {
    const { options, index, writer, signal } = this;
    const table = () => this.table;
    this.restored = checkpoint;
    this.positions = checkpoint.marks;
    this.downstream = checkpoint.downstream;
    for (const [uid, position] of Object.entries(checkpoint.policies)) this.policyPositions.set(uid, position);
    this.failures = new FailedTriggers(checkpoint.failed);
    const runRules = createRuleRunner({
      ...options,
      exceptions: () => options.policies.current.exceptions,
    });
    const { failures } = this;
    const onFailures = () => this.store.touch();
    const followSource = (source: KubeObject, origin: Origin) => this.sources.copiedFrom(source, origin);
    this.worker = new Worker({ ...options, table, index, writer, runRules, failures, followSource, onFailures });
    this.scanner = new Scanner({
      ...options,
      table,
      sinceMs,
      positions: this.policyPositions,
      trigger: (trigger) => this.worker.trigger(trigger),
      observed: (type) => this.followers.get(renderGvr(type))?.observed(),
      room: (callSignal) => this.worker.roomBelow(maxWaiting, callSignal),
      onScanned: () => this.store.touch(),
    });
    this.sources = new SourceFollower(
      {
        ...options,
        table,
        index,
        sync: (origin) => this.worker.sync(origin),
        retry: (policy) => this.worker.retryNow(policy),
        onFailure: () => this.reportFailingKinds(),
      },
      signal,
    );
  }

  /** Synchronizes all downstream objects once: changes may have happened while no replica led. */
  private async followDownstream({ downstream }: Checkpoint): Promise<void> {
    for (const { type, resourceVersion } of Object.values(downstream)) {
      try {
        await this.index.follow(type, resourceVersion);
      } catch (thrown) {
        if (this.signal.aborted) throw thrown;
        // Affects only the objects of this kind. They are synchronized once they can be listed.
        const fields = { type: renderGvr(type), error: errorMessage(thrown) };
        this.options.log.warn('cannot list synchronized objects', fields);
        this.index.whenReady(type).then(
          () => this.syncAll(),
          () => {
            // The leader session is over.
          },
        );
      }
    }
    this.syncAll();
  }

  private syncAll(): void {
    for (const { origin } of this.index.all()) this.worker.sync(origin);
  }

  private policiesChanged(change: PolicyChange): void {
    if (change.type !== 'policy') return;
    this.refresh();
    const key = (change.after ?? change.before)?.key ?? '';
    for (const { origin } of this.index.ofPolicy(key)) this.worker.sync(origin);
    this.worker.retryNow(key);
    if (!change.after) this.options.recorder.succeeded(key);
  }

  /** Watches exactly the kinds that the current policies need. */
  private refresh(): void {
    this.table = createRuleTable(this.options.policies.current.programs, this.types);
    for (const [id, follower] of this.followers) {
      if (this.table.types.has(id)) continue;
      const position = this.types.some((type) => renderGvr(type) === id) ? undefined : follower.position();
      if (position) this.positions = { ...this.positions, [id]: position };
      this.followers.delete(id);
      void follower.end();
    }
    for (const [id, type] of this.table.types) if (!this.followers.has(id)) this.follow(id, type);
    this.followSources().catch((thrown) => {
      if (!this.signal.aborted) this.options.log.warn('cannot watch clone sources', { error: errorMessage(thrown) });
    });
    this.scanner.touch();
    this.store.touch();
    this.recordUnservedRules();
    this.reportFailingKinds();
  }

  /** A kind that cannot be watched triggers nothing. Reports it on the policies that need the kind; others continue. */
  private reportFailingKinds(): void {
    const { recorder } = this.options;
    const kinds = new Set<string>();
    const reported = new Set<string>();
    for (const [key, policy] of this.table.policies) {
      const failing = [...this.followers.values()].flatMap(({ informer: { type }, failure }) =>
        failure && policy.watched.some((rule) => rule.mayMatchKind(type, '')) ? [{ type, failure }] : [],
      );
      const all = [...failing, ...this.sources.failuresOf(key)];
      for (const { type } of all) kinds.add(renderGvr(type));
      recorder.cannotFollow(key, policy.program.policy, followProblem(all));
      reported.add(key);
    }
    for (const key of this.reportedPolicies) if (!reported.has(key)) recorder.cannotFollow(key, undefined, undefined);
    this.reportedPolicies = reported;
    recorder.failingKinds(kinds.size);
  }

  private recordUnservedRules(): void {
    const { receivesRequests, canTrust } = this.options;
    for (const [key, { program, bound, confirmable }] of this.table.policies) {
      const rule = bound.find((one) => !receivesRequests || (!canTrust && !confirmable.includes(one)));
      if (!rule) continue;
      const message = receivesRequests
        ? `rule ${rule.name} needs data that only an authenticated review has, and reviews are not authenticated: ` +
          'set webhook.clientCA, or generate.trustReviews where only the API server reaches the webhook port'
        : `rule ${rule.name} needs admission requests; enable the feature admission`;
      this.options.recorder.failed(key, program.policy, { reason: 'GenerateFailed', message });
    }
  }

  private follow(id: string, type: DiscoveredType): void {
    const { client, installation, log } = this.options;
    const syncTrigger = (uid: string) => {
      for (const { origin } of this.index.ofTriggerUid(uid)) this.worker.sync(origin);
    };
    const follower = new TriggerFollower({
      client,
      type,
      position: this.positions[id],
      installation,
      fieldManager: `${installation}-generate`,
      log,
      isOwnWrite: (object) => this.writer.isOwnWrite(object),
      onTrigger: (object, operation, done) => this.triggered(type, object, operation, done),
      onGone: syncTrigger,
      onUnclear: syncTrigger,
      onFailure: () => this.reportFailingKinds(),
      onFirstListed: (observed) => this.scanner.firstListed(type, observed),
      onProgress: () => this.store.touch(),
    });
    this.followers.set(id, follower);
    // Use a position once: a kind that is watched again later starts from now.
    const { [id]: _, ...others } = this.positions;
    this.positions = others;
    follower.start(this.signal);
  }

  private triggered(type: ResourceType, object: KubeObject, operation: TriggerOperation, done: () => void): number {
    const identity = triggerIdentityOf(object);
    const labels = identity.namespace === '' ? {} : this.options.namespaces.labels(identity.namespace);
    const kind = { ...gvkOf(object), resource: type.resource };
    const request = { kind, subresource: '', object, uid: identity.uid, now: 0, operation };
    const matching = this.table.forKind(request.kind).filter(({ program, watched }) => {
      if (!isSince(creationOf(program.policy), object)) return false;
      if (this.index.ofTrigger(program.key, identity.uid).length > 0) return true;
      if (!actsOnWrites(program)) return false;
      if (labels === undefined) return true;
      return watched.some((rule) => rule.mismatchReason({ ...request, namespaceLabels: labels }) === undefined);
    });
    for (const { program, watchedNames: rules } of matching)
      this.worker.trigger({ policy: program.key, type, identity, context: { operation, object }, rules, done });
    return matching.length;
  }

  private async followSources(): Promise<void> {
    await this.sources.refresh();
    for (const { watched } of this.table.policies.values()) {
      for (const rule of watched.filter(isSynchronized)) {
        const generate = rule.spec.generate ?? {};
        for (const { apiVersion, kind } of [generate, ...(generate.foreach ?? [])]) {
          if (!apiVersion || !kind || kind.includes('{{') || apiVersion.includes('{{')) continue;
          const type = await this.options.discovery.byKind(`${apiVersion}/${kind}`, { signal: this.signal });
          // Not awaited: a kind that cannot be listed must not delay the others.
          if (type) this.index.whenReady(type).catch(() => {});
        }
      }
    }
  }

  /** Periodically handles what no event reports: new kinds, deletions hidden by a new list, aging resource versions. */
  private async resync(): Promise<void> {
    const { clock, discovery, log } = this.options;
    while (!this.signal.aborted) {
      await clock.sleep(resyncMs, this.signal).catch(() => {});
      if (this.signal.aborted) return;
      try {
        if (this.table.hasUnknownKinds) {
          discovery.invalidate();
          const before = this.types;
          this.types = await discovery.list({ signal: this.signal });
          if (namesOf(this.types) !== namesOf(before)) this.refresh();
        }
      } catch (thrown) {
        if (!this.signal.aborted) log.warn('discovery failed; retrying', { error: errorMessage(thrown) });
      }
      for (const [id, { informer }] of this.followers) {
        const listed = informer.listedAtServerMs ?? 0;
        if (listed > (this.listedAt.get(id) ?? listed)) this.syncAll();
        this.listedAt.set(id, listed);
      }
      this.store.age();
    }
  }

  private checkpoint(): Checkpoint {
    if (this.restored) return { ...this.restored, failed: this.failures.list() };
    // Keep the positions of kinds that are not served now, to resume from them when they are served again.
    const served = new Set(this.types.map(renderGvr));
    const positions = Object.fromEntries(Object.entries(this.positions).filter(([id]) => !served.has(id)));
    for (const [id, follower] of this.followers) {
      const position = follower.position();
      if (position) positions[id] = position;
    }
    const alive = new Set(this.options.policies.all.map(({ object }) => object.metadata.uid));
    const policies = Object.fromEntries([...this.policyPositions].filter(([uid]) => alive.has(uid)));
    // While removals are not processed, keep the old position so that they are found again.
    this.downstream = this.worker.isSynchronized
      ? this.index.positions()
      : { ...this.index.firstPositions(), ...this.downstream };
    return { marks: positions, policies, failed: this.failures.list(), downstream: this.downstream };
  }
}

const namesOf = (types: readonly DiscoveredType[]) => types.map(renderGvr).sort().join(' ');
