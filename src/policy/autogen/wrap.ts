import { isJsonObject } from '../../base/index.ts';
import type { ForEachMutate, MutateSpec, ValidateSpec } from '../types.ts';
import { inTemplate, type Nesting, shiftReferences } from './shift.ts';

/** A pattern or merge patch for the Pod, as one for the controller; a CronJob's has been wrapped once already. */
function wrap(pattern: unknown, nesting: Nesting): unknown {
  return { spec: { [nesting === inTemplate ? 'template' : 'jobTemplate']: pattern ?? null } };
}

/** Merge patches only: as upstream, targets and other fields are dropped. */
export function wrapMutate(mutate: MutateSpec | undefined, nesting: Nesting): MutateSpec | undefined {
  if ((mutate?.patchStrategicMerge ?? null) !== null) {
    return { patchStrategicMerge: wrap(mutate?.patchStrategicMerge, nesting) };
  }
  if (!mutate?.foreach?.length) return undefined;
  return { foreach: mutate.foreach.map((entry) => wrapForEach(entry, nesting)) };
}

function wrapForEach(entry: ForEachMutate, nesting: Nesting): ForEachMutate {
  const { list, context, preconditions, patchStrategicMerge } = entry;
  return {
    ...(list === undefined ? {} : { list }),
    ...(context === undefined ? {} : { context }),
    ...(preconditions === undefined ? {} : { preconditions }),
    patchStrategicMerge: wrap(patchStrategicMerge, nesting),
  };
}

/**
 * Patterns are wrapped; conditions, foreach and pod security reach the Pod by expression or by kind and stay. Of
 * several checks the first one found is kept. Manifests derive nothing.
 */
export function wrapValidate(validate: ValidateSpec | undefined, nesting: Nesting): ValidateSpec | undefined {
  if (!validate) return undefined;
  const { pattern, anyPattern, deny, podSecurity, foreach, cel, assert } = validate;
  const kept = (pivot: string, check: ValidateSpec): ValidateSpec => ({
    ...settings(validate, nesting, pivot),
    ...check,
  });
  if (isSet(pattern)) return kept('pattern', { pattern: wrap(pattern, nesting) });
  if (isSet(deny)) return kept('deny', { deny });
  if (isSet(podSecurity)) return kept('podSecurity', { podSecurity });
  if (isSet(anyPattern)) {
    const patterns = Array.isArray(anyPattern) ? anyPattern : [];
    return kept('anyPattern', { anyPattern: patterns.map((each: unknown) => wrap(each, nesting)) });
  }
  if (foreach?.length) return kept('pattern', { foreach });
  if (isSet(cel)) return validate;
  return isSet(assert) ? { ...validate, assert: wrapAssertion(assert, nesting) } : undefined;
}

/** The parts of a tree for object and oldObject move into the template; the rest stays. */
function wrapAssertion(tree: unknown, nesting: Nesting): unknown {
  if (!isJsonObject(tree)) return tree;
  const moved = ['object', 'oldObject'].filter((key) => isJsonObject(tree[key]));
  return { ...tree, ...Object.fromEntries(moved.map((key) => [key, wrap(tree[key], nesting)])) };
}

function isSet<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}

/** The fields that a derived validate block keeps in addition to its check. */
function settings(validate: ValidateSpec, nesting: Nesting, pivot: string): ValidateSpec {
  const { message, failureAction, failureActionOverrides, allowExistingViolations } = validate;
  return {
    ...(message === undefined ? {} : { message: shiftReferences(message, nesting, pivot) }),
    ...(failureAction === undefined ? {} : { failureAction }),
    ...(failureActionOverrides === undefined ? {} : { failureActionOverrides }),
    ...(allowExistingViolations === undefined ? {} : { allowExistingViolations }),
  };
}
