import { isJsonObject } from '../../base/index.ts';
import { anyField, type ReadPath, readPaths } from '../../jmespath/index.ts';
import { compileExpression } from './expression.ts';
import { findVariables, type Occurrence } from './find-variables.ts';

/** The placeholder for a variable inside an expression: an identifier, or a number where none is allowed. */
const placeholders = ['variable_inside', '0'] as const;
/** The limit of an evaluation. */
const maxRounds = 32;
const anything: readonly ReadPath[] = [[anyField]];

/**
 * The paths that the variables in a document's texts and keys read from the scope of the rule. A variable whose name is
 * known only at evaluation may read anything.
 */
export function variablePaths(document: unknown): readonly ReadPath[] {
  if (typeof document === 'string') return document.includes('{{') ? textPaths(document).paths : [];
  if (Array.isArray(document)) return document.flatMap(variablePaths);
  if (!isJsonObject(document)) return [];
  return Object.entries(document).flatMap(([key, value]) => [...variablePaths(key), ...variablePaths(value)]);
}

/** The same for an expression without braces: the list of a loop, the path of a variable. */
export function expressionPaths(expression: string): readonly ReadPath[] {
  const { paths, rest } = textPaths(expression);
  return [...paths, ...pathsOf(rest)];
}

/** The paths of all variables, innermost first, and the text with a placeholder for each. */
function textPaths(text: string): { readonly paths: readonly ReadPath[]; readonly rest: string } {
  const paths: ReadPath[] = [];
  let rest = text;
  for (let round = 0; round < maxRounds; round++) {
    const found = findVariables(rest);
    if (found.length === 0) return { paths, rest };
    // `{{ @ }}` is the same position in the object; only in a longer expression is `@` the scope.
    for (const { expression } of found) paths.push(...(expression === '@' ? objectPaths : pathsOf(expression)));
    rest = replaced(rest, found);
  }
  return { paths: anything, rest };
}

const objectPaths: readonly ReadPath[] = [['request', 'object']];

function replaced(text: string, found: readonly Occurrence[]): string {
  let result = '';
  let copied = 0;
  for (const { start, end } of found) {
    result += text.slice(copied, start) + placeholders[0];
    copied = end;
  }
  return result + text.slice(copied);
}

function pathsOf(expression: string): readonly ReadPath[] {
  for (const placeholder of placeholders) {
    try {
      const { ast } = compileExpression(expression.replaceAll(placeholders[0], placeholder));
      return readPaths(ast).map((path) => path.map((name) => (name.includes(placeholders[0]) ? anyField : name)));
    } catch {
      // Invalid expressions are reported by the check of the policy.
      if (!expression.includes(placeholders[0])) break;
    }
  }
  return anything;
}
