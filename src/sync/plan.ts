import type { KubeObject } from '../object/index.ts';
import { contentOf, isPartOf, overwrite, sameContent } from './content.ts';
import type { Incoming } from './incoming.ts';
import { isOwned, ownerAnnotation, type PolicyRef, type Refusal } from './policy.ts';

/** One change; `desired` is the object to write. */
export type Operation =
  | { readonly action: 'apply'; readonly ref: PolicyRef; readonly desired: KubeObject }
  | {
      readonly action: 'update';
      readonly ref: PolicyRef;
      readonly desired: KubeObject;
      readonly before: KubeObject;
      /** What the server would store, from a dry run. */
      readonly preview?: KubeObject;
    }
  | { readonly action: 'remove'; readonly ref: PolicyRef; readonly before: KubeObject };

export interface PlanOptions {
  /** The share of synced policies that one run may remove, in per cent; a single one may always be removed. */
  readonly maxRemovePercent: number;
}

export interface SyncPlan {
  /** In order of execution: creations, then updates, then removals. */
  readonly operations: readonly Operation[];
  readonly unchanged: readonly PolicyRef[];
  readonly refused: readonly Refusal[];
}

/** A policy in the cluster, ours or not. */
export interface CurrentPolicy {
  readonly ref: PolicyRef;
  readonly object: KubeObject;
}

/**
 * Plans the operations that make the cluster match the response. Pure; `settlePlan` adds what the server would store.
 */
export function planSync(
  incoming: Incoming,
  current: ReadonlyMap<string, CurrentPolicy>,
  { maxRemovePercent }: PlanOptions,
): SyncPlan {
  const applies: Operation[] = [];
  const updates: Operation[] = [];
  const removes: Operation[] = [];
  const unchanged: PolicyRef[] = [];
  const refused: Refusal[] = [...incoming.refused];
  const wanted = new Set(incoming.refused.flatMap(({ ref }) => (ref === undefined ? [] : [ref.key])));

  for (const { ref, object } of incoming.policies) {
    wanted.add(ref.key);
    const before = current.get(ref.key)?.object;
    if (before === undefined) {
      applies.push({ action: 'apply', ref, desired: object });
      continue;
    }
    const desired = overwrite(before, object);
    const refuse = (reason: string) => refused.push({ ref, label: ref.label, reason, object });
    if (!isOwned(before))
      refuse(
        `a policy of that name exists that is not of Insights (it lacks the annotation ${ownerAnnotation}); it is left alone`,
      );
    else if (before.metadata.deletionTimestamp !== undefined)
      refuse('it is being deleted; the next run creates it again');
    else if (sameContent(desired, before)) unchanged.push(ref);
    else updates.push({ action: 'update', ref, desired, before });
  }
  for (const { ref, object } of incoming.isComplete ? current.values() : []) {
    if (wanted.has(ref.key) || !isOwned(object) || object.metadata.deletionTimestamp !== undefined) continue;
    removes.push({ action: 'remove', ref, before: object });
  }
  const ownedCount = [...current.values()].filter(({ object }) => isOwned(object)).length;
  if (removes.length > 1 && removes.length * 100 > ownedCount * maxRemovePercent) {
    const reason = `the response lacks ${removes.length} of the ${ownedCount} policies that were synced, more than ${maxRemovePercent}%; none is removed (ALLOW_REMOVE_SHARE allows more)`;
    refused.push({ label: 'sync', reason });
    removes.length = 0;
  }
  return { operations: [...applies, ...updates, ...removes], unchanged, refused };
}

/**
 * The plan without removals if the response looks truncated in its last policy: that policy is rejected, or its update
 * would cut its end off while other policies are missing.
 */
export function withoutUnsafeRemovals(
  plan: SyncPlan,
  { lastKey }: Incoming,
  { maxRemovePercent }: PlanOptions,
): SyncPlan {
  if (lastKey === undefined) return plan;
  const kept = plan.operations.filter(({ action }) => action !== 'remove');
  if (plan.refused.some(({ ref }) => ref?.key === lastKey)) return { ...plan, operations: kept };
  const missing = plan.operations.length - kept.length;
  const last = kept.find(({ ref }) => ref.key === lastKey);
  if (missing === 0 || maxRemovePercent >= 100 || last?.action !== 'update' || !isCut(last)) return plan;
  const { ref, desired: object } = last;
  const reason = `it lost its end, and ${missing} of the policies that were synced are missing: the response looks truncated there (ALLOW_REMOVE_SHARE=100 takes it as it is)`;
  return {
    ...plan,
    operations: kept.filter((operation) => operation !== last),
    refused: [...plan.refused, { ref, label: ref.label, reason, object }],
  };
}

/** Compares with what the server would store; otherwise its defaults would look missing. */
const isCut = ({ before, preview }: Extract<Operation, { action: 'update' }>) =>
  preview !== undefined && isPartOf(contentOf(preview), contentOf(before));

/** Whether an update would change nothing, compared with what the server would store, defaults included, by key. */
export function isNoOp(operation: Operation, asStored: ReadonlyMap<string, KubeObject>): boolean {
  const stored = asStored.get(operation.ref.key);
  return operation.action === 'update' && stored !== undefined && sameContent(stored, operation.before);
}

/** The plan without updates that would change nothing. */
export function withoutNoOps(plan: SyncPlan, asStored: ReadonlyMap<string, KubeObject>): SyncPlan {
  const idle = plan.operations.filter((operation) => isNoOp(operation, asStored));
  const withPreview = (operation: Operation): Operation => {
    const preview = asStored.get(operation.ref.key);
    return operation.action === 'update' && preview !== undefined ? { ...operation, preview } : operation;
  };
  return {
    ...plan,
    operations: plan.operations.filter((operation) => !isNoOp(operation, asStored)).map(withPreview),
    unchanged: [...plan.unchanged, ...idle.map(({ ref }) => ref)],
  };
}
