import { RE2JS } from 're2js';
import { errorMessage } from '../../base/index.ts';
import { type CompileOptions, childrenOf, compile, JmespathError, type Node } from '../../jmespath/index.ts';
import { hasVariables } from '../variables/index.ts';
import { cut, type Issues } from './issues.ts';

/**
 * Whether an expression can be compiled, its functions are known, and regexes written into it are valid. One with
 * variables in it cannot be checked before they are resolved.
 */
export function checkExpression(expression: string | undefined, path: string, issues: Issues): void {
  if (!expression || hasVariables(expression)) return;
  checkPlainExpression(expression, path, issues);
}

/** The tree of an expression without variables, or undefined after its error is reported. */
export function checkPlainExpression(
  expression: string,
  path: string,
  issues: Issues,
  options?: CompileOptions,
): Node | undefined {
  try {
    const { ast } = compile(expression, options);
    checkRegexes(ast, path, issues);
    return ast;
  } catch (thrown) {
    if (!(thrown instanceof JmespathError)) throw thrown;
    const place = `at offset ${thrown.offset}`;
    issues.error(
      'policy-expression',
      path,
      `failed to parse JMESPath "${cut(expression)}" ${place}: ${thrown.message}`,
    );
    return undefined;
  }
}

const regexFunctions: ReadonlySet<string> = new Set(['regex_match', 'regex_replace_all', 'regex_replace_all_literal']);

function checkRegexes(node: Node, path: string, issues: Issues): void {
  if (node.kind === 'call' && regexFunctions.has(node.name)) {
    const [pattern] = node.args;
    if (pattern?.kind === 'literal' && typeof pattern.value === 'string') checkRegex(pattern.value, path, issues);
  }
  for (const child of childrenOf(node)) checkRegexes(child, path, issues);
}

function checkRegex(pattern: string, path: string, issues: Issues): void {
  // A variable that was resolved into the text, or a pattern no policy needs: left to the evaluation and its limits.
  if (pattern.length > 1000) return;
  try {
    RE2JS.compile(pattern);
  } catch (thrown) {
    issues.error('policy-expression', path, `"${cut(pattern)}" is no regular expression: ${errorMessage(thrown)}`);
  }
}

/** Names an expression asks the whole context for: those left of every dot, pipe, projection and filter. */
export function rootNames(node: Node): readonly string[] {
  switch (node.kind) {
    case 'field':
      return [node.name];
    case 'sub':
    case 'pipe':
    case 'projection':
    case 'values':
    case 'filter':
      return rootNames(node.left);
    case 'reference':
      return [];
    default:
      return childrenOf(node).flatMap(rootNames);
  }
}
