import { isJsonObject } from '../../base/index.ts';
import { cut, type Issues } from './issues.ts';
import { isSet } from './rule-context.ts';
import { any as anyValue, checkShape, listOf, object, string } from './shape.ts';

const operators: readonly string[] = [
  'Equal',
  'Equals',
  'NotEqual',
  'NotEquals',
  'In',
  'AnyIn',
  'AllIn',
  'NotIn',
  'AnyNotIn',
  'AllNotIn',
  'GreaterThanOrEquals',
  'GreaterThan',
  'LessThanOrEquals',
  'LessThan',
  'DurationGreaterThanOrEquals',
  'DurationGreaterThan',
  'DurationLessThanOrEquals',
  'DurationLessThan',
];
const deprecated: Readonly<Record<string, string>> = { In: 'AllIn or AnyIn', NotIn: 'AllNotIn or AnyNotIn' };
const operations: readonly string[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

const list = listOf(object({ key: anyValue, operator: string, value: anyValue, message: string }));
const anyAll = object({ any: list, all: list });

/**
 * Preconditions or the conditions of a deny: an object with any and all, or the old form, a list. Inside a loop key
 * and value may be omitted, as upstream allows.
 */
export function checkConditions(conditions: unknown, path: string, issues: Issues, inLoop = false): void {
  if (!isSet(conditions)) return;
  const before = issues.list.length;
  checkShape(conditions, Array.isArray(conditions) ? list : anyAll, path, issues);
  if (issues.list.length > before || typeof conditions !== 'object') return;
  const groups: [string, unknown][] = Array.isArray(conditions)
    ? [[path, conditions]]
    : ['any', 'all'].map((field) => [`${path}.${field}`, (conditions as Record<string, unknown>)[field]]);
  for (const [place, group] of groups) {
    if (!Array.isArray(group)) continue;
    for (const [i, condition] of group.entries()) checkCondition(condition, `${place}[${i}]`, issues, inLoop);
  }
}

function checkCondition(condition: unknown, path: string, issues: Issues, inLoop: boolean): void {
  if (!isJsonObject(condition)) {
    issues.error('policy-condition', path, 'must be an object');
    return;
  }
  const { key, operator, value } = condition;
  if (!inLoop && (!isSet(key) || !isSet(value) || !operator)) {
    const missing = ['key', 'operator', 'value'].filter((field) => !isSet(condition[field]));
    issues.error(
      'policy-condition',
      path,
      `entered value of \`key\`, \`value\` or \`operator\` is missing or misspelled: ${missing.join(', ')}`,
    );
    return;
  }
  if (typeof operator !== 'string' || !operators.includes(operator)) {
    const text = typeof operator === 'string' ? `"${cut(operator)}"` : 'nothing';
    issues.error(
      'policy-condition',
      `${path}.operator`,
      `entered value of \`operator\` is invalid: ${text} is not one of ${operators.join(', ')}`,
    );
  } else if (Object.hasOwn(deprecated, operator)) {
    issues.warn('policy-deprecated', `${path}.operator`, `${operator} is deprecated: use ${deprecated[operator]}`);
  }
  if (!inLoop && typeof key === 'string' && key.replaceAll(' ', '') === '{{request.operation}}') {
    checkOperations(value, `${path}.value`, issues);
  }
}

/** A condition on an operation that does not exist can never be met. */
function checkOperations(value: unknown, path: string, issues: Issues): void {
  if (typeof value === 'string' && value.length >= 4 && value.startsWith('{{') && value.endsWith('}}')) return;
  for (const operation of Array.isArray(value) ? value : [value]) {
    if (operations.includes(operation)) continue;
    const text = typeof operation === 'string' ? `"${cut(operation)}"` : `${typeof operation}`;
    issues.error('policy-condition', path, `${text} is no operation: only ${operations.join(', ')} are allowed`);
  }
}
