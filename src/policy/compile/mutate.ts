import { errorMessage, isJsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { compileContext, layerOf, Need } from '../context/index.ts';
import { applyJson6902, type MergeOutcome, mergeStrategic, parseJson6902 } from '../mutate/index.ts';
import { sizeOf, spend } from '../run/budget.ts';
import { errored, pass, type RuleOutcome, skip } from '../run/outcome.ts';
import { changedRun, type Run, resolverOf, withContext } from '../run/run.ts';
import type { ForEachMutate, MutateSpec } from '../types.ts';
import { compileDocument } from '../variables/index.ts';
import { type Conditions, compileConditions } from './conditions.ts';
import { elementRun, type LoopList, listElements, loopList } from './validate.ts';

/** The result of a mutation; `unchanged` when there was nothing to patch. */
type MutateResult =
  | { readonly kind: 'patched'; readonly object: KubeObject }
  | { readonly kind: 'unchanged'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string };

type Mutator = (run: Run, object: KubeObject) => MutateResult;

/** patchStrategicMerge, patchesJson6902 or foreach. */
export function compileMutator(spec: MutateSpec): Mutator {
  if (spec.foreach) return compileForEach(spec.foreach);
  return compilePatch(spec.patchStrategicMerge, spec.patchesJson6902);
}

export function mutateOutcome(result: MutateResult): RuleOutcome {
  if (result.kind === 'error') return errored(result.message);
  if (result.kind === 'unchanged') return skip(result.message);
  const { kind, metadata } = result.object;
  const where = metadata.namespace ? ` in namespace ${metadata.namespace}` : '';
  return { ...pass(`mutated ${kind}/${metadata.name ?? ''}${where}`), patched: result.object };
}

function compilePatch(strategic: unknown, json6902: string | undefined): Mutator {
  const hasStrategic = strategic !== undefined && strategic !== null;
  const template = compileDocument(hasStrategic ? strategic : (json6902 ?? ''));
  const isEmpty = !hasStrategic && !json6902;
  return (run, object) => {
    if (isEmpty) return { kind: 'error', message: 'empty mutate rule' };
    try {
      const patch = template.resolve(resolverOf(run));
      return hasStrategic ? applyStrategic(patch, object) : applyOperations(patch, object);
    } catch (thrown) {
      if (thrown instanceof Need) throw thrown;
      return { kind: 'error', message: `variable substitution failed: ${errorMessage(thrown)}` };
    }
  };
}

function applyStrategic(patch: unknown, object: KubeObject): MutateResult {
  return resultOf(mergeStrategic(patch, object));
}

function applyOperations(patch: unknown, object: KubeObject): MutateResult {
  const parsed = parseJson6902(String(patch));
  return resultOf(parsed.kind === 'error' ? parsed : applyJson6902(parsed.operations, object));
}

function resultOf(outcome: MergeOutcome): MutateResult {
  if (outcome.kind === 'error') return { kind: 'error', message: `failed to patch resource: ${outcome.message}` };
  if (outcome.kind === 'skip') return { kind: 'unchanged', message: outcome.message };
  const { resource } = outcome;
  if (!isJsonObject(resource))
    return { kind: 'error', message: 'failed to patch resource: the patch leaves no object' };
  return { kind: 'patched', object: resource as unknown as KubeObject };
}

interface Loop extends LoopList {
  readonly isReversed: boolean;
  readonly load: ReturnType<typeof compileContext>;
  readonly preconditions: Conditions;
  readonly body: Mutator;
}

function compileForEach(loops: readonly ForEachMutate[]): Mutator {
  const compiled = loops.map(compileLoop);
  return (run, object) => {
    let current = object;
    let applied = 0;
    let inside = run;
    for (const loop of compiled) {
      const elements = listElements(inside, loop);
      if (!('items' in elements)) {
        const why = 'unknown' in elements ? 'Unknown key' : errorMessage(elements.error);
        return { kind: 'error', message: `failed to evaluate list ${loop.list}: ${why}` };
      }
      const result = mutateElements(inside, loop, elements.items, current);
      if (result.kind === 'error') return { kind: 'error', message: `failed to mutate elements: ${result.message}` };
      if (result.kind === 'unchanged') continue;
      applied++;
      current = result.object;
      inside = withObject(inside, current);
    }
    if (applied === 0) return { kind: 'unchanged', message: '0 elements processed' };
    return { kind: 'patched', object: current };
  };
}

function compileLoop(loop: ForEachMutate): Loop {
  const isMerge = loop.patchStrategicMerge !== undefined && loop.patchStrategicMerge !== null;
  return {
    ...loopList(loop.list),
    // A merge inserts new elements at the front: descending order keeps their order.
    isReversed: loop.order === undefined ? isMerge : loop.order === 'Descending',
    load: compileContext(loop.context),
    preconditions: compileConditions(loop.preconditions, 'foreach.preconditions'),
    body: loop.foreach ? compileForEach(loop.foreach) : compilePatch(loop.patchStrategicMerge, loop.patchesJson6902),
  };
}

function mutateElements(run: Run, loop: Loop, items: readonly unknown[], object: KubeObject): MutateResult {
  let current = object;
  // Each patch processes the whole object.
  const units = 5 * sizeOf(object);
  const indexes = items.map((_, i) => (loop.isReversed ? items.length - 1 - i : i));
  for (const index of indexes) {
    const element = items[index];
    if (element === null || element === undefined) continue;
    run.trace?.({ kind: 'element', list: loop.list, index, element, depth: run.nesting });
    spend(run, units);
    const inside = withContext(elementRun(run, element, index), loop.load);
    try {
      if (!loop.preconditions(inside).hold) continue;
    } catch (thrown) {
      if (thrown instanceof Need) throw thrown;
      return {
        kind: 'error',
        message: `failed to evaluate mutate.foreach[${index}].preconditions: ${errorMessage(thrown)}`,
      };
    }
    const result = loop.body(inside, current);
    if (result.kind === 'error') return result;
    if (result.kind === 'patched') current = result.object;
  }
  return current === object
    ? { kind: 'unchanged', message: 'no patches applied' }
    : { kind: 'patched', object: current };
}

/** The run with `request.object` replaced, so that later loops see the patches of earlier ones. */
function withObject(run: Run, object: KubeObject): Run {
  const request = run.scope.get('request');
  const value = isJsonObject(request) ? { ...request, object } : { object };
  return changedRun(run, { scope: layerOf({ request: value }, run.scope), request: { ...run.request, object } });
}
