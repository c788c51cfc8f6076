import { errorMessage, isJsonObject } from '../../base/index.ts';
import { compileContext, ElementLayer, Need } from '../context/index.ts';
import { elementUnits, spend } from '../run/budget.ts';
import { errored, failed, joinNonEmpty, type MaybeOutcome, pass, type RuleOutcome, skip } from '../run/outcome.ts';
import { changedRun, type Run, resolverOf, withContext } from '../run/run.ts';
import type { ForEachValidate } from '../types.ts';
import { compileQuery, type Resolver } from '../variables/index.ts';
import { compileConditions } from './conditions.ts';
import type { RuleMessage } from './message.ts';
import { compileAnyPatternCheck, compilePatternCheck } from './patterns.ts';

/** Checks the element of a loop if there is one, else the object. */
type Check = (run: Run, element: unknown) => MaybeOutcome;

/** pattern, anyPattern, deny and foreach: the fields that rules and loops share. */
interface CheckSpec {
  readonly pattern?: unknown;
  readonly anyPattern?: readonly unknown[];
  readonly deny?: { readonly conditions?: unknown };
  readonly foreach?: readonly ForEachValidate[];
}

export function compileCheck(rule: string, spec: CheckSpec, message: RuleMessage): Check {
  if (spec.deny) return compileDeny(rule, spec.deny, message);
  if (spec.pattern !== undefined && spec.pattern !== null)
    return onObject(compilePatternCheck(rule, spec.pattern, message));
  if (spec.anyPattern) return onObject(compileAnyPatternCheck(rule, spec.anyPattern, message));
  if (spec.foreach) return compileForEach(rule, spec.foreach, message);
  return () => undefined;
}

/** Patterns check the element if it is a map, else the object; they have no result for DELETE. */
function onObject(check: (run: Run, resource: unknown) => MaybeOutcome): Check {
  return (run, element) => {
    if (element !== undefined && isJsonObject(element) && Object.keys(element).length > 0) return check(run, element);
    return run.request.operation === 'DELETE' ? undefined : check(run, run.request.object);
  };
}

function compileDeny(rule: string, deny: { readonly conditions?: unknown }, message: RuleMessage): Check {
  const conditions = compileConditions(deny.conditions, 'deny');
  const passed = pass(`validation rule '${rule}' passed.`);
  return (run) => {
    try {
      const { hold, message: why } = conditions(run);
      return hold ? failed(message.forDeny(run, why)) : passed;
    } catch (thrown) {
      if (thrown instanceof Need) throw thrown;
      return errored(`failed to check deny conditions: ${errorMessage(thrown)}`);
    }
  };
}

/** The list of a loop: the expression, and its compiled form. */
export interface LoopList {
  readonly list: string;
  readonly find: (resolver: Resolver) => unknown;
}

export const loopList = (list = ''): LoopList => ({ list, find: compileQuery(list) });

interface Loop extends LoopList {
  readonly elementScope: boolean | undefined;
  readonly body: Check;
}

function compileForEach(rule: string, loops: readonly ForEachValidate[], message: RuleMessage): Check {
  const compiled = loops.map(
    (loop): Loop => ({
      ...loopList(loop.list),
      elementScope: loop.elementScope,
      body: compileBody(rule, loop, message),
    }),
  );
  return (run) => {
    let applied = 0;
    let listError: unknown;
    for (const loop of compiled) {
      const elements = listElements(run, loop);
      if ('unknown' in elements) continue;
      if ('error' in elements) {
        listError = elements.error;
        continue;
      }
      const outcome = checkElements(run, loop, elements.items);
      if (typeof outcome !== 'number') return outcome;
      applied += outcome;
    }
    if (applied > 0) return pass('rule passed');
    return listError === undefined ? undefined : errored(`failed to evaluate list: ${errorMessage(listError)}`);
  };
}

/** The elements of a loop; a single value is a list of one. `unknown` when the key does not exist. */
export function listElements(
  run: Run,
  { list, find }: LoopList,
): { items: readonly unknown[] } | { unknown: true } | { error: unknown } {
  try {
    const value = find(resolverOf(run));
    const items = Array.isArray(value) ? value : [value];
    if (items.length === 0) run.trace?.({ kind: 'emptyList', list, why: 'the list is empty', depth: run.nesting });
    return { items };
  } catch (thrown) {
    if (thrown instanceof Need) throw thrown;
    run.trace?.({ kind: 'emptyList', list, why: errorMessage(thrown), depth: run.nesting });
    return errorMessage(thrown).includes('Unknown key') ? { unknown: true } : { error: thrown };
  }
}

/** The number of elements that passed, or the outcome that ends the loop. */
function checkElements(run: Run, { list, elementScope, body }: Loop, items: readonly unknown[]): number | RuleOutcome {
  let applied = 0;
  for (const [index, element] of items.entries()) {
    if (element === null || element === undefined) continue;
    const isMap = isJsonObject(element);
    if (elementScope === true && !isMap)
      return errored('failed to process foreach: elementScope is true for an element that is not a map');
    run.trace?.({ kind: 'element', list, index, element, depth: run.nesting });
    const outcome = body(elementRun(run, element, index), (elementScope ?? isMap) ? element : undefined);
    if (outcome === undefined || outcome.status === 'skip') continue;
    if (outcome.status === 'pass') {
      applied++;
      continue;
    }
    if (outcome.status === 'error' && outcome.message.includes('failed to evaluate preconditions')) continue;
    return { ...outcome, message: `validation failure: ${outcome.message}` };
  }
  return applied;
}

/** The run inside a loop, with `element`, `elementIndex`, and both with the depth of the loop as suffix. */
export function elementRun(run: Run, element: unknown, index: number): Run {
  spend(run, elementUnits);
  const { nesting } = run;
  return changedRun(run, { scope: new ElementLayer(element, index, nesting, run.scope), nesting: nesting + 1 });
}

function compileBody(rule: string, loop: ForEachValidate, message: RuleMessage): Check {
  const load = compileContext(loop.context);
  const preconditions = compileConditions(loop.preconditions, 'foreach.preconditions');
  const check = compileCheck(rule, loop, message);
  return (outer, element) => {
    const run = withContext(outer, load);
    const unmet = unmetPreconditions(preconditions, run);
    return unmet ?? check(run, element);
  };
}

/** The outcome of a rule whose preconditions are not met or fail; undefined when they are met. */
export function unmetPreconditions(preconditions: ReturnType<typeof compileConditions>, run: Run): MaybeOutcome {
  try {
    const { hold, message } = preconditions(run);
    return hold ? undefined : skip(joinNonEmpty(['preconditions not met', message], '; '));
  } catch (thrown) {
    if (thrown instanceof Need) throw thrown;
    return errored(`failed to evaluate preconditions: ${errorMessage(thrown)}`);
  }
}
