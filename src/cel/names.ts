import { childrenOf, type Node, operators, walk } from './ast.ts';
import { policyMacros } from './kyverno-policies.ts';
import { parse } from './parser.ts';
import { Source } from './source.ts';

const parsed = (expression: string) => parse(new Source(expression), policyMacros);

/** The names that an expression uses for variables, those of its loops among them; throws CelCompileError. */
export function namesIn(expression: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of walk(parsed(expression))) if (node.kind === 'ident') names.add(node.name);
  return names;
}

/**
 * What an expression selects, as paths from a name: `request.userInfo.username`. A name that is used as a whole is a
 * path of one. Throws CelCompileError.
 */
export function pathsIn(expression: string): readonly (readonly string[])[] {
  const paths: (readonly string[])[] = [];
  const visit = (node: Node): void => {
    const path = pathOf(node);
    if (path) paths.push(path);
    else for (const child of childrenOf(node)) visit(child);
  };
  visit(parsed(expression));
  return paths;
}

function pathOf(node: Node): readonly string[] | undefined {
  if (node.kind === 'ident') return [node.name];
  const selection = selectionOf(node);
  const path = selection && pathOf(selection.operand);
  return path && [...path, selection.field];
}

/** A selection by name, in whichever way it is written. */
function selectionOf(node: Node): { readonly operand: Node; readonly field: string } | undefined {
  if (node.kind === 'select') return node;
  const selects = [operators.optSelect, operators.index, operators.optIndex] as readonly string[];
  if (node.kind !== 'call' || !selects.includes(node.name)) return undefined;
  const [operand, field] = node.args;
  return operand && field?.kind === 'literal' && typeof field.value === 'string'
    ? { operand, field: field.value }
    : undefined;
}
