import { findVariables, type PolicyCondition, parseConditionBlock } from '../policy/index.ts';
import { type Comparison, compare, compareAmount, isAmount } from './amount.ts';
import { always, and, type Bool, never, not, or, renderBool, test } from './bool.ts';
import { hasWildcard, literal, quote, wildcardRegex, wildcardTest } from './cel-text.ts';
import { type Converted, convertExpression, type ExpressionScope } from './expression.ts';
import { refuse } from './not-convertible.ts';

/** `any` and `all` of comparisons; throws NotConvertible. */
export function convertConditions(json: unknown, scope: ExpressionScope, path: string): Bool {
  const { any, all, issues } = parseConditionBlock(json);
  const [issue] = issues;
  if (issue) refuse(`${path}.${issue.path}`, issue.message);
  const convert = (where: string) => (condition: PolicyCondition, i: number) =>
    convertCondition(condition, scope, `${path}${where}[${i}]`);
  const parts = all.map(convert(Array.isArray(json) ? '' : '.all'));
  const others = any ? any.map(convert('.any')) : [];
  if (!scope.isOrdered) return and([...parts, ...(any ? [or(others)] : [])]);
  return inOrder([...(any ? [inOrder(others, false)] : []), ...parts], true);
}

/** The first error counts, unless what is before it decides. */
function inOrder(conditions: readonly Bool[], areAll: boolean): Bool {
  const [first, ...others] = conditions;
  if (first === undefined) return areAll ? always : never;
  if (others.length === 0) return first;
  const [left, right] = [renderBool(first), renderBool(inOrder(others, areAll))];
  return test(areAll ? `(${left} ? ${right} : false)` : `(${left} ? true : ${right})`);
}

function convertCondition({ key, operator, value }: PolicyCondition, scope: ExpressionScope, path: string): Bool {
  if (typeof key === 'string' && !containsVariable(key) && typeof value === 'string' && containsVariable(value))
    return isAmong(key, operator, convertKey(value, scope, `${path}.value`), path);
  const left = convertKey(key, scope, `${path}.key`);
  if (containsVariable(value)) return refuse(`${path}.value`, 'a value with variables is not supported');
  const about = left.place ?? left.about;
  if (about) scope.touched.add(about, ...(Array.isArray(value) ? value : [value]));
  switch (operator) {
    case 'Equals':
      return equals(left, value, `${path}.value`);
    case 'NotEquals':
      return not(equals(left, value, `${path}.value`));
    case 'In':
    case 'AnyIn':
    case 'AllIn':
    case 'NotIn':
    case 'AnyNotIn':
    case 'AllNotIn':
      return isMember(left, operator, value, path);
    case 'GreaterThan':
      return order(left, '>', value, path);
    case 'GreaterThanOrEquals':
      return order(left, '>=', value, path);
    case 'LessThan':
      return order(left, '<', value, path);
    case 'LessThanOrEquals':
      return order(left, '<=', value, path);
    default:
      return refuse(`${path}.operator`, `${operator} has no equivalent`);
  }
}

/** A text that is given, and a list from the object. */
function isAmong(key: string, operator: string, { text, type, items }: Converted, path: string): Bool {
  if (type !== 'array' || items !== 'string' || !/^(?:Any|All)(?:Not)?In$/.test(operator) || hasWildcard(key))
    return refuse(path, 'a given text is looked for in lists of texts only');
  const among = test(`${quote(key)} in ${text}`, `!(${quote(key)} in ${text})`);
  return operator.includes('Not') ? not(among) : among;
}

function convertKey(key: unknown, scope: ExpressionScope, path: string): Converted {
  if (typeof key !== 'string') return refuse(path, 'a key that is no expression is not supported');
  const variables = findVariables(key);
  const [only] = variables;
  if (variables.length !== 1 || only === undefined || only.start !== 0 || only.end !== key.length)
    return refuse(path, 'a key must be one expression in {{ }}');
  return convertExpression(only.expression, scope, path);
}

function containsVariable(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{');
  return typeof value === 'object' && value !== null && Object.values(value).some(containsVariable);
}

function equals({ text, type, place }: Converted, value: unknown, path: string): Bool {
  if (type === 'string' && typeof value === 'string') {
    if (isAmount(value)) return compareAmount(text, '==', value);
    if (value === '*') return test(`${text} == ${text}`);
    const matched = wildcardTest(text, value);
    return matched.includes(' == ') ? compare(text, '==', quote(value)) : test(matched, `!${matched}`);
  }
  if (type === 'boolean' && typeof value === 'boolean') return compare(text, '==', String(value));
  if (type === 'integer' && typeof value === 'number' && Number.isSafeInteger(value))
    return compare(text, '==', String(value));
  if (type === 'unknown' && place && typeof value === 'string' && !isAmount(value) && !hasWildcard(value))
    return compare(text, '==', quote(value));
  if (type === 'string' && typeof value !== 'object') return never;
  return refuse(path, `${literal(value)} is compared with what may be of another type`);
}

function isMember({ text, type, items }: Converted, operator: string, value: unknown, path: string): Bool {
  const values = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(values) || !values.every((one) => typeof one === 'string'))
    return refuse(`${path}.value`, 'a list of texts is expected');
  if (values.some((one) => isAmount(one) && /-/.test(one)) || (typeof value === 'string' && /^[[{"]|-/.test(value)))
    refuse(`${path}.value`, 'the value may be a range or JSON');
  const among = (one: string): Bool => {
    if (!values.some(hasWildcard)) return test(`${one} in ${literal(values)}`, `!(${one} in ${literal(values)})`);
    const matched = `${one}.matches(${quote(wildcardRegex(values))})`;
    return test(matched, `!${matched}`);
  };
  const isNegative = operator.includes('Not');
  if (type === 'string') return isNegative ? not(among(text)) : among(text);
  if (type !== 'array' || items !== 'string')
    return refuse(`${path}.key`, 'only texts and lists of texts are supported');
  if ((operator === 'In' || operator === 'NotIn') && values.some(hasWildcard))
    refuse(`${path}.value`, `${operator} compares lists without wildcards`);
  const each = among('x');
  const inner = each.kind === 'test' ? (isNegative && operator !== 'NotIn' ? each.opposite : each.text) : '';
  switch (operator) {
    case 'AnyIn':
    case 'AnyNotIn':
      return test(`${text}.exists(x, ${inner})`, `!${text}.exists(x, ${inner})`);
    case 'NotIn':
      return test(`!${text}.all(x, ${inner})`, `${text}.all(x, ${inner})`);
    default:
      return test(`${text}.all(x, ${inner})`, `!${text}.all(x, ${inner})`);
  }
}

function order({ text, type }: Converted, comparison: Comparison, value: unknown, path: string): Bool {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (type === 'integer' && typeof number === 'number' && Number.isSafeInteger(number))
    return compare(text, comparison, String(number));
  return refuse(path, 'only integers are compared for order');
}
