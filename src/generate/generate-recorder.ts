import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';
import type { Logger } from '../base/index.ts';
import { type EventRecorder, eventSubjectOf } from '../kube/index.ts';
import { type KubeObject, keyOf } from '../object/index.ts';

/** A problem that keeps a policy from working. */
export interface PolicyProblem {
  readonly reason: 'MissingPermission' | 'GenerateFailed' | 'TriggersLost';
  readonly message: string;
}

/** Implemented by the owner of the policies' status: sets a condition, or removes it when `problem` is undefined. */
export type OnPolicyProblem = (policy: string, problem: PolicyProblem | undefined) => void;

interface GenerateRecorderOptions {
  readonly events: EventRecorder;
  readonly metrics: Registry;
  readonly log: Logger;
  readonly onProblem?: OnPolicyProblem | undefined;
}

/** Reports what generation did and why it cannot work: events, metrics, conditions. */
export class GenerateRecorder {
  private readonly generated: Counter<'policy' | 'effect'>;
  private readonly failures: Counter<'policy' | 'reason'>;
  private readonly waiting: Gauge;
  private readonly kinds: Gauge;
  private readonly lost: Counter<'why'>;
  /** Failed work, by policy. */
  private readonly problems = new Map<string, PolicyProblem>();
  /** Kinds that cannot be watched, by policy. Kept apart because successful work does not resolve them. */
  private readonly followProblems = new Map<string, PolicyProblem>();

  constructor(private readonly options: GenerateRecorderOptions) {
    const registers = [options.metrics];
    this.generated = new Counter({
      name: 'supercargo_generate_effects_total',
      help: 'Objects created, changed and removed by generate and mutate-existing rules.',
      labelNames: ['policy', 'effect'],
      registers,
    });
    this.failures = new Counter({
      name: 'supercargo_generate_failures_total',
      help: 'Failed attempts to process a trigger.',
      labelNames: ['policy', 'reason'],
      registers,
    });
    this.waiting = new Gauge({
      name: 'supercargo_generate_failed_triggers',
      help: 'Failed triggers that will be retried.',
      registers,
    });
    this.kinds = new Gauge({
      name: 'supercargo_generate_failing_kinds',
      help: 'Kinds of triggers and clone sources that cannot be listed or watched.',
      registers,
    });
    this.lost = new Counter({
      name: 'supercargo_generate_lost_triggers_total',
      help: 'Triggers given up: too many failed, one failed too often, or the outbox was full.',
      labelNames: ['why'],
      registers,
    });
  }

  created(policy: KubeObject, rule: string, object: KubeObject, trigger: KubeObject): void {
    this.generated.inc({ policy: policy.metadata.name ?? '', effect: 'created' });
    const what = `${object.kind} ${keyOf(object)}`;
    const because = `${trigger.kind} ${keyOf(trigger)}`;
    const event = { type: 'Normal', reason: 'PolicyApplied' } as const;
    this.options.events.record(eventSubjectOf(policy), {
      ...event,
      message: `${because}: rule ${rule} created ${what}`,
    });
    this.options.events.record(eventSubjectOf(trigger), {
      ...event,
      message: `policy ${policy.metadata.name}, rule ${rule}: created ${what}`,
    });
  }

  did(policy: string, effect: 'changed' | 'removed', object: KubeObject): void {
    this.generated.inc({ policy, effect });
    this.options.log.info('generated object written', { policy, effect, kind: object.kind, object: keyOf(object) });
  }

  failed(key: string, policy: KubeObject | undefined, problem: PolicyProblem): void {
    this.failures.inc({ policy: key, reason: problem.reason });
    // Report a problem once, not at every retry.
    if (this.problems.get(key)?.message === problem.message) return;
    this.problems.set(key, problem);
    this.announce(key, policy, problem);
  }

  /** Sets or clears the problem that kinds of the policy cannot be watched. */
  cannotFollow(key: string, policy: KubeObject | undefined, problem: PolicyProblem | undefined): void {
    if (this.followProblems.get(key)?.message === problem?.message) return;
    if (problem) {
      this.followProblems.set(key, problem);
      this.announce(key, policy, problem);
    } else {
      this.followProblems.delete(key);
      this.options.log.info('all kinds of the policy can be watched again', { policy: key });
      this.publish(key);
    }
  }

  failingKinds(count: number): void {
    this.kinds.set(count);
  }

  private announce(key: string, policy: KubeObject | undefined, problem: PolicyProblem): void {
    this.options.log.warn('policy cannot generate', { policy: key, ...problem });
    if (policy)
      this.options.events.record(eventSubjectOf(policy), {
        type: 'Warning',
        reason: 'PolicyError',
        message: problem.message,
      });
    this.publish(key);
  }

  private publish(key: string): void {
    const found = [this.problems.get(key), this.followProblems.get(key)].flatMap((problem) => problem ?? []);
    const [first] = found;
    const message = found.map((problem) => problem.message).join('; ');
    this.options.onProblem?.(key, first && { reason: first.reason, message });
  }

  succeeded(key: string): void {
    if (this.problems.delete(key)) this.publish(key);
  }

  gaveUp(why: 'overflow' | 'attempts' | 'outbox', fields: Readonly<Record<string, unknown>>): void {
    this.lost.inc({ why });
    this.options.log.error('trigger given up', { why, ...fields });
  }

  retrying(count: number): void {
    this.waiting.set(count);
  }
}
