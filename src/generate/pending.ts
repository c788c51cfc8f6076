import type { ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { TriggerIdentity } from './origin.ts';
import type { TriggerContext } from './run-rules.ts';

/** One write on which a policy acts. */
export interface PendingTrigger {
  readonly policy: string;
  readonly type: ResourceType;
  readonly identity: TriggerIdentity;
  /** Without the object when too many wait; it is then read again. */
  readonly context: Omit<TriggerContext, 'object'> & { readonly object?: KubeObject | undefined };
  /** Names of the rules that existed at the time of the write. Rules added while the trigger waits do not act on it. */
  readonly rules?: ReadonlySet<string> | undefined;
  /** Called once when the trigger is done or given up; not called when the work is aborted. */
  readonly done: () => void;
  /** Handles a failure. Without it, the trigger is added to the failed triggers. */
  readonly onFailed?: ((thrown: unknown) => void) | undefined;
}

// About 20 MB of pods.
const maxBodies = 2_000;

/** Triggers waiting to be processed, in order, by queue key. */
export class PendingTriggers {
  private readonly byKey = new Map<string, PendingTrigger[]>();
  private bodies = 0;

  get size(): number {
    return this.byKey.size;
  }

  add(key: string, trigger: PendingTrigger): void {
    const waiting = this.byKey.get(key);
    const kept = this.withinLimit(trigger);
    const last = waiting?.at(-1);
    if (!waiting) this.byKey.set(key, [kept]);
    else if (last && supersedes(kept, last)) {
      // The last of several waiting updates replaces the others.
      waiting[waiting.length - 1] = { ...kept, done: both(last.done, kept.done) };
      if (last.context.object) this.bodies--;
    } else waiting.push(kept);
  }

  take(key: string): readonly PendingTrigger[] {
    const taken = this.byKey.get(key) ?? [];
    this.byKey.delete(key);
    this.bodies -= taken.filter(({ context }) => context.object).length;
    return taken;
  }

  private withinLimit(trigger: PendingTrigger): PendingTrigger {
    const { object, ...context } = trigger.context;
    if (object === undefined) return trigger;
    // Data of a request cannot be read again.
    if (this.bodies >= maxBodies && context.info === undefined) return { ...trigger, context };
    this.bodies++;
    return trigger;
  }
}

function supersedes(next: PendingTrigger, last: PendingTrigger): boolean {
  const isPlainUpdate = ({ context }: PendingTrigger) => context.operation === 'UPDATE' && context.info === undefined;
  const isSame = next.identity.uid === last.identity.uid && next.rules === last.rules;
  return isSame && isPlainUpdate(next) && isPlainUpdate(last);
}

const both = (first: () => void, second: () => void) => () => {
  first();
  second();
};
