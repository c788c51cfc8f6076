import { setMaxListeners } from 'node:events';
import type { Clock } from '../base/index.ts';
import { errorMessage } from '../base/index.ts';
import { createWorkqueue, type Workqueue, type WorkqueueMetrics } from '../controller/index.ts';
import { type Discovery, isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { LivePolicies } from '../runtime/index.ts';
import { type ApplyEffects, applyResults, combineErrors, type RuleFailure } from './apply-results.ts';
import type { DownstreamIndex } from './downstream-index.ts';
import type { DownstreamWriter } from './downstream-writer.ts';
import { GenerateError } from './errors.ts';
import type { FailedTriggers } from './failed-triggers.ts';
import type { GenerateRecorder, PolicyProblem } from './generate-recorder.ts';
import { type Origin, type TriggerIdentity, triggerIdentityOf } from './origin.ts';
import { type PendingTrigger, PendingTriggers } from './pending.ts';
import type { GeneratingPolicy, RuleTable } from './rule-table.ts';
import { changesTrigger } from './rules.ts';
import type { RunRules, TriggerContext } from './run-rules.ts';
import { SyncWork } from './sync-work.ts';

interface WorkerOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly discovery: Pick<Discovery, 'byKind'>;
  readonly policies: LivePolicies;
  readonly table: () => RuleTable;
  readonly index: DownstreamIndex;
  readonly writer: DownstreamWriter;
  readonly runRules: RunRules;
  readonly failures: FailedTriggers;
  readonly recorder: GenerateRecorder;
  readonly queueMetrics: WorkqueueMetrics;
  readonly clock: Clock;
  /** A policy of expressions has copied an object, and the copy is synchronized. */
  readonly followSource: ApplyEffects['followSource'];
  /** The list of failed triggers changed. */
  readonly onFailures: () => void;
}

const concurrency = 8;
const retryPrefix = 'retry ';
/** How often a trigger is processed at once whose objects change meanwhile. */
const maxRaces = 5;

/** Processes triggers and synchronization: one at a time per policy and object, eight in parallel. */
export class Worker {
  private readonly queue: Workqueue;
  private readonly pending = new PendingTriggers();
  private readonly syncWork: SyncWork;
  private room: (() => void)[] = [];

  constructor(private readonly options: WorkerOptions) {
    this.queue = createWorkqueue({
      clock: options.clock,
      backoff: { baseMs: 200, maxMs: 300_000 },
      metrics: options.queueMetrics,
    });
    this.syncWork = new SyncWork({
      ...options,
      apply: async (policy, job, signal) => {
        const failed = await this.apply(policy, job, signal);
        if (failed.length > 0) throw combineErrors(failed);
      },
    });
  }

  trigger(trigger: PendingTrigger): void {
    const key = keyFor(trigger.policy, trigger.identity);
    this.pending.add(key, trigger);
    this.queue.add(key);
  }

  /** The objects generated from this origin may need an update. */
  sync(origin: Origin): void {
    const key = keyFor(origin.policy, origin.trigger);
    this.syncWork.add(key, origin);
    this.queue.add(key);
  }

  /** Whether no synchronization is pending. */
  get isSynchronized(): boolean {
    return this.syncWork.size === 0;
  }

  /** Retries the failed triggers of a policy now. */
  retryNow(policy: string): void {
    for (const { key, failed } of this.failed()) if (failed.policy === policy) this.queue.add(`${retryPrefix}${key}`);
  }

  /** Resolves when fewer than `limit` keys wait. */
  async roomBelow(limit: number, signal: AbortSignal): Promise<void> {
    while (this.pending.size >= limit && !signal.aborted)
      await new Promise<void>((resolve) => void this.room.push(resolve));
    signal.throwIfAborted();
  }

  async run(signal: AbortSignal): Promise<void> {
    for (const { key } of this.failed()) this.queue.addAfter(`${retryPrefix}${key}`, 1_000);
    await this.queue.run((key, workSignal) => this.work(key, workSignal), signal, { concurrency });
    for (const wake of this.room.splice(0)) wake();
  }

  private failed() {
    return this.options.failures.entries();
  }

  private async work(key: string, signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal);
    if (key.startsWith(retryPrefix)) return this.retry(key.slice(retryPrefix.length), signal);
    for (const trigger of this.pending.take(key)) await this.attempt(trigger, signal);
    for (const wake of this.room.splice(0)) wake();
    try {
      await this.syncWork.run(key, signal);
      this.queue.forget(key);
    } catch (thrown) {
      if (signal.aborted) return;
      const policy = this.syncWork.policyOf(key);
      if (policy !== undefined) this.recordFailure(policy, thrown);
      this.queue.addRateLimited(key);
    }
  }

  private async attempt(trigger: PendingTrigger, signal: AbortSignal): Promise<void> {
    const { failures, recorder } = this.options;
    const { policy, type, identity, context, rules: tried } = trigger;
    const { namespace, name, uid } = identity;
    const operation = context.operation === 'UPDATE' ? 'UPDATE' : 'CREATE';
    let rules = tried && [...tried];
    try {
      const failed = await this.processFresh(trigger, signal);
      rules = failed.map(({ rule }) => rule);
      if (failed.length > 0) throw combineErrors(failed);
      if (!trigger.onFailed && failures.delete({ policy, type, uid, operation }, tried)) this.failuresChanged();
      // While another trigger of the policy fails, keep its condition.
      if (!failures.hasPolicy(policy)) recorder.succeeded(policy);
    } catch (thrown) {
      if (signal.aborted) return;
      this.recordFailure(policy, thrown);
      if (trigger.onFailed) return trigger.onFailed(thrown);
      const plain: ResourceType = pick(type);
      const error = errorMessage(thrown);
      const decision = failures.add({ policy, type: plain, namespace, name, uid, operation, error, rules }, tried);
      if ('givenUp' in decision) recorder.gaveUp('attempts', { policy, trigger: `${namespace}/${name}`, error });
      else this.queue.addAfter(`${retryPrefix}${decision.key}`, decision.retryAfterMs);
      const lost = failures.overflow();
      if (lost) recorder.gaveUp('overflow', { policy: lost.policy, trigger: `${lost.namespace}/${lost.name}` });
      this.failuresChanged();
    }
    trigger.done();
  }

  private failuresChanged(): void {
    this.options.recorder.retrying(this.options.failures.size);
    this.options.onFailures();
  }

  private async retry(key: string, signal: AbortSignal): Promise<void> {
    const failed = this.options.failures.get(key);
    if (!failed) return;
    const { policy, type, operation, namespace, name, uid } = failed;
    const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
    const identity = { apiVersion, kind: type.kind, namespace, name, uid };
    const rules = failed.rules && new Set(failed.rules);
    await this.attempt({ policy, type, identity, context: { operation }, rules, done: () => {} }, signal);
  }

  /** Again with objects as they are now when they changed meanwhile, which is no failure. */
  private async processFresh(trigger: PendingTrigger, signal: AbortSignal): Promise<readonly RuleFailure[]> {
    const isRace = ({ thrown }: RuleFailure) => isKubeError(thrown, 'kube-conflict');
    let failed = await this.process(trigger, signal);
    for (let attempt = 1; attempt < maxRaces && failed.length > 0 && failed.every(isRace); attempt++) {
      const { operation } = trigger.context;
      const rules = new Set(failed.map(({ rule }) => rule));
      // Requests keep the object that they are about.
      const context = trigger.context.info ? trigger.context : { ...trigger.context, operation, object: undefined };
      failed = await this.process({ ...trigger, context, rules }, signal);
    }
    return failed;
  }

  private async process(
    { policy: key, type, identity, context, rules }: PendingTrigger,
    signal: AbortSignal,
  ): Promise<readonly RuleFailure[]> {
    const policy = this.options.table().policies.get(key);
    if (!policy) return [];
    const isGone = context.operation === 'DELETE';
    const object = context.object ?? (isGone ? undefined : await this.read(type, identity, signal));
    if (!isGone && object === undefined) return [];
    const candidates = context.info ? policy.bound : policy.watched;
    const chosen = rules ? candidates.filter(({ name }) => rules.has(name)) : candidates;
    if (!context.info || isGone || context.subresource || !chosen.some(changesTrigger))
      return this.apply(policy, { context: { ...context, object }, rules: chosen }, signal);
    // What a request is about has no version yet, or that before it: what is stored is changed.
    const stored = await this.read(type, identity, signal);
    const others = chosen.filter((rule) => !changesTrigger(rule));
    const failed = await this.apply(policy, { context, rules: others }, signal);
    if (!stored) return failed;
    const changing = { context: { ...context, object: stored }, rules: chosen.filter(changesTrigger) };
    return [...failed, ...(await this.apply(policy, changing, signal))];
  }

  private async apply(
    { program }: GeneratingPolicy,
    { context, rules }: { readonly context: TriggerContext; readonly rules: GeneratingPolicy['watched'] },
    signal: AbortSignal,
  ): Promise<readonly RuleFailure[]> {
    const { index, writer, runRules, recorder } = this.options;
    const subject = context.object ?? context.oldObject;
    if (!subject) return [];
    const run = await runRules(program, rules, context, signal);
    const effects: ApplyEffects = {
      created: (object, rule) => recorder.created(program.policy, rule.name, object, subject),
      changed: (object) => recorder.did(program.key, 'changed', object),
      removed: (object) => recorder.did(program.key, 'removed', object),
      follow: (type) => index.follow(type),
      followSource: this.options.followSource,
    };
    const existing = index.ofTrigger(program.key, triggerIdentityOf(subject).uid);
    return applyResults({ program, rules, context, subject, run, existing, writer, effects, signal });
  }

  private async read(
    type: ResourceType,
    { name, namespace, uid }: TriggerIdentity,
    signal: AbortSignal,
  ): Promise<KubeObject | undefined> {
    try {
      const key = { name, ...(type.namespaced ? { namespace } : {}) };
      const object = await this.options.client.get<KubeObject>(type, key, { signal });
      return object.metadata.uid === uid ? object : undefined;
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found')) return undefined;
      throw thrown;
    }
  }

  private recordFailure(policy: string, thrown: unknown): void {
    const { recorder, policies } = this.options;
    const isPermission = thrown instanceof GenerateError && thrown.code === 'generate-forbidden';
    const problem: PolicyProblem = {
      reason: isPermission ? 'MissingPermission' : 'GenerateFailed',
      message: thrown instanceof GenerateError ? thrown.message : errorMessage(thrown),
    };
    recorder.failed(policy, policies.get(policy)?.object, problem);
  }
}

const keyFor = (policy: string, { apiVersion, kind, namespace, name }: TriggerIdentity): string =>
  `${policy} ${apiVersion}/${kind} ${namespace}/${name}`;

const pick = ({ group, version, resource, kind, namespaced }: ResourceType): ResourceType => ({
  group,
  version,
  resource,
  kind,
  namespaced,
});
