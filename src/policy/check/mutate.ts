import { errorMessage, isJsonObject, parseYaml } from '../../base/index.ts';
import type { ForEachMutate, MutateSpec } from '../types.ts';
import { findVariables, hasVariables } from '../variables/index.ts';
import { checkConditions } from './conditions.ts';
import { checkContext } from './context.ts';
import { checkExpression } from './expressions.ts';
import { cut } from './issues.ts';
import { checkMetadataTexts } from './pattern.ts';
import { isSet, type RuleCheck } from './rule-context.ts';

/** A mutate block: one way to patch, patches that can be read, targets in reach. */
export function checkMutate(check: RuleCheck, mutate: MutateSpec): void {
  const { issues } = check;
  const path = `${check.path}.mutate`;
  const used = (['foreach', 'patchStrategicMerge', 'patchesJson6902'] as const).filter((field) =>
    field === 'foreach' ? mutate.foreach?.length : isSet(mutate[field]) && mutate[field] !== '',
  );
  if (used.length > 1) {
    issues.error(
      'policy-field-conflict',
      path,
      'only one of `foreach`, `patchStrategicMerge`, or `patchesJson6902` is allowed',
    );
  }
  checkMetadataTexts(mutate.patchStrategicMerge, `${path}.patchStrategicMerge`, issues);
  if (mutate.patchesJson6902) checkJsonPatch(check, mutate.patchesJson6902, `${path}.patchesJson6902`, false);
  checkLoops(check, mutate.foreach, `${path}.foreach`);
  checkTargets(check, mutate, `${path}.targets`);
}

function checkTargets(check: RuleCheck, { targets }: MutateSpec, path: string): void {
  const { issues, policy } = check;
  for (const [i, target] of (targets ?? []).entries()) {
    const place = `${path}[${i}]`;
    if (policy.isNamespaced && target.namespace && target.namespace !== policy.namespace) {
      issues.error(
        'policy-scope',
        `${place}.namespace`,
        'This field can be ignored or should have value of the namespace where the policy is being created',
      );
    }
    checkContext(check, target.context, `${place}.context`);
    checkConditions(target.preconditions, `${place}.preconditions`, issues);
  }
}

function checkLoops(check: RuleCheck, loops: readonly ForEachMutate[] | undefined, path: string): void {
  const { issues } = check;
  for (const [i, loop] of (loops ?? []).entries()) {
    const place = `${path}[${i}]`;
    if (!loop.list) issues.error('policy-field-required', `${place}.list`, 'foreach.list is required');
    checkExpression(loop.list, `${place}.list`, issues);
    const patches = [isSet(loop.patchStrategicMerge), !!loop.patchesJson6902].filter(Boolean).length;
    if (loop.foreach?.length) {
      if (patches > 0 || isSet(loop.context) || isSet(loop.preconditions)) {
        issues.error('policy-field-conflict', place, 'a nested foreach cannot contain other declarations');
      }
    } else if (patches !== 1) {
      const code = patches === 0 ? 'policy-field-required' : 'policy-field-conflict';
      issues.error(code, place, 'exactly one of `patchStrategicMerge` or `patchesJson6902` is required');
    }
    checkContext(check, loop.context, `${place}.context`);
    checkConditions(loop.preconditions, `${place}.preconditions`, issues, true);
    checkMetadataTexts(loop.patchStrategicMerge, `${place}.patchStrategicMerge`, issues);
    if (loop.patchesJson6902) checkJsonPatch(check, loop.patchesJson6902, `${place}.patchesJson6902`, true);
    checkLoops(check, loop.foreach, `${place}.foreach`);
  }
}

const operations: readonly unknown[] = ['add', 'remove', 'replace', 'move', 'copy', 'test'];
const placeholder = 'policyvariable';

/** In a loop the path of an operation may hold variables, even as its whole. */
function checkJsonPatch({ issues }: RuleCheck, patch: string, path: string, inLoop: boolean): void {
  const plain = withoutVariables(patch);
  // An expression for the whole patch can be checked only at evaluation.
  if (inLoop && plain.trim() === placeholder) return;
  const operationsOf = parsePatch(plain);
  if (typeof operationsOf === 'string') {
    issues.error('policy-patch', path, operationsOf);
    return;
  }
  for (const [i, operation] of operationsOf.entries()) {
    const place = `${path}[${i}]`;
    if (!isJsonObject(operation)) {
      issues.error('policy-patch', place, 'each operation must be an object');
      continue;
    }
    const { op, path: pointer } = operation;
    if (!operations.includes(op) && op !== placeholder) {
      issues.error('policy-patch', `${place}.op`, `unexpected kind: ${cut(String(op))}; use ${operations.join(', ')}`);
    }
    if (typeof pointer !== 'string' || !(pointer.startsWith('/') || (inLoop && pointer.startsWith(placeholder)))) {
      issues.error('policy-patch', `${place}.path`, 'path must begin with a forward slash');
    }
    if (!Object.hasOwn(operation, 'value') && ['add', 'replace', 'test'].includes(op as string)) {
      issues.error('policy-patch', `${place}.value`, `is required for ${op}`);
    }
  }
  if (!inLoop) checkPlainPaths(patch, path, issues);
}

/** Only if the patch can be parsed with its variables unresolved; otherwise variables are at other positions. */
function checkPlainPaths(patch: string, path: string, issues: RuleCheck['issues']): void {
  const parsed = parsePatch(patch);
  if (typeof parsed === 'string') return;
  for (const [i, operation] of parsed.entries()) {
    const pointer = isJsonObject(operation) ? operation['path'] : undefined;
    if (typeof pointer === 'string' && hasVariables(pointer)) {
      issues.error(
        'policy-variable-forbidden',
        `${path}[${i}].path`,
        'variables are not allowed in the path of a patch',
      );
    }
  }
}

/** The operations, or what is wrong with the text. */
function parsePatch(patch: string): readonly unknown[] | string {
  try {
    const parsed = parseYaml(patch);
    return Array.isArray(parsed) ? parsed : 'must be a list of operations';
  } catch (thrown) {
    return `cannot be read: ${errorMessage(thrown)}`;
  }
}

function withoutVariables(text: string): string {
  let result = '';
  let copied = 0;
  for (const { start, end } of findVariables(text)) {
    result += text.slice(copied, start) + placeholder;
    copied = end;
  }
  return result + text.slice(copied);
}
