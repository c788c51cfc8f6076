import { isJsonObject, renderJson } from '../../base/index.ts';
import { freeVariables } from '../../jmespath/index.ts';
import { type Notation, orderedKeys, parseNotation } from '../assert/index.ts';
import { checkPlainExpression } from './expressions.ts';
import { cut, fieldOf, type Issues } from './issues.ts';
import type { RuleCheck } from './rule-context.ts';

/** The keys of the value that a tree is compared with; any other plain key is never found. */
const roots: readonly string[] = [
  'object',
  'oldObject',
  'operation',
  'namespaceLabels',
  'admissionOperation',
  'admissionInfo',
  'resourceKind',
];

/** Checks an assertion tree: its expressions, the names they use, and keys without a meaning. */
export function checkAssertion({ rule, issues, path: rulePath }: RuleCheck, tree: unknown, path: string): void {
  const names = new Set<string>();
  for (const [i, { name }] of (rule.context ?? []).entries()) {
    names.add(name);
    if (!/^\w+$/.test(name)) {
      issues.error(
        'policy-context',
        `${rulePath}.context[${i}].name`,
        `context entry name ${cut(name)} is invalid, it must be a single word when the validation rule uses assert`,
      );
    }
  }
  if (!isJsonObject(tree)) {
    issues.error('policy-field-type', path, `must be a map with keys such as object, not ${cut(renderJson(tree))}`);
    return;
  }
  for (const key of Object.keys(tree)) {
    const notation = parseNotation(key);
    if (notation?.isExpression || roots.includes(notation?.statement ?? key)) continue;
    const message = `is none of ${roots.join(', ')}, which are all that a tree can look at: the rule always fails`;
    issues.warn('policy-field-value', fieldOf(path, key), message);
  }
  checkTree(tree, path, names, issues);
}

function checkTree(tree: unknown, path: string, names: ReadonlySet<string>, issues: Issues): void {
  if (typeof tree === 'string') checkValue(tree, path, names, issues);
  else if (Array.isArray(tree)) for (const [i, item] of tree.entries()) checkTree(item, `${path}[${i}]`, names, issues);
  else if (isJsonObject(tree)) {
    let seen = names;
    for (const key of orderedKeys(tree)) {
      const place = fieldOf(path, key);
      const notation = parseNotation(key);
      checkText(key, notation, place, seen, issues);
      if (notation?.binding !== undefined) seen = new Set([...seen, notation.binding]);
      const index = notation?.each?.index;
      checkTree(tree[key], place, index === undefined ? seen : new Set([...seen, index]), issues);
    }
  }
}

function checkValue(text: string, path: string, names: ReadonlySet<string>, issues: Issues): void {
  const notation = parseNotation(text);
  checkText(text, notation, path, names, issues);
  if (!notation?.isExpression) return;
  if (notation.each?.index !== undefined) {
    issues.error(
      'policy-expression',
      path,
      `"${cut(text)}": ~ visits the elements of a key and means nothing in a value`,
    );
  }
  if (notation.binding !== undefined) {
    issues.error('policy-expression', path, `"${cut(text)}": -> names what a key finds and means nothing in a value`);
  }
}

function checkText(
  text: string,
  notation: Notation | undefined,
  path: string,
  names: ReadonlySet<string>,
  issues: Issues,
): void {
  if (text.includes('{{')) {
    const message = `"${cut(text)}": variables in braces are not resolved here; write an expression in brackets`;
    issues.error('policy-variable-forbidden', path, message);
    return;
  }
  if (!notation?.isExpression) return;
  if (notation.language !== '' && notation.language !== 'jp') {
    issues.error('policy-unsupported', path, `"${notation.language}:" is not supported: expressions are JMESPath (jp)`);
    return;
  }
  const ast = checkPlainExpression(notation.statement, path, issues, { dialect: 'community' });
  if (ast === undefined) return;
  for (const name of new Set(freeVariables(ast))) {
    if (names.has(name)) continue;
    const message = `$${cut(name)} is neither an entry of the context nor named by a key around or beside it`;
    issues.error('policy-variable-unknown', path, message);
  }
}
