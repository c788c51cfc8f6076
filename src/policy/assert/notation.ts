/** A parsed key or text of an assertion tree. */
export interface Notation {
  /** The name of a field, or an expression. */
  readonly statement: string;
  readonly isExpression: boolean;
  /** The language that an expression names before its colon; empty if it names none. */
  readonly language: string;
  /** `~.` visits every element; `~name.` also binds its index or key to a name. */
  readonly each?: { readonly index?: string };
  /** `->name` binds the value to a name. */
  readonly binding?: string;
}

const each = /^~(\w+)?\.([^\n]*)/;
const binding = /([^\n]*)\s*->\s*(\w+)$/;
const escaped = /^\\([^\n]+)\\$/;
const expression = /^\((?:(\w+):)?([^\n]+)\)$/;

/** Undefined for a text that is empty without its markers: it is then a literal. */
export function parseNotation(text: string): Notation | undefined {
  let rest = text;
  const loop = each.exec(rest);
  if (loop) rest = loop[2] ?? '';
  const bound = binding.exec(rest);
  if (bound) rest = bound[1] ?? '';
  const plain = escaped.exec(rest);
  const found = plain ? null : expression.exec(rest);
  const statement = plain?.[1] ?? found?.[2] ?? rest;
  if (statement === '') return undefined;
  return {
    statement,
    isExpression: found !== null,
    language: found?.[1] ?? '',
    ...(loop ? { each: loop[1] === undefined ? {} : { index: loop[1] } } : {}),
    ...(bound ? { binding: bound[2] as string } : {}),
  };
}

/**
 * Keys in the order of evaluation: keys with bindings first, so that their siblings can use them in any stored order of
 * the document; then sorted by text.
 */
export function orderedKeys(tree: Readonly<Record<string, unknown>>): readonly string[] {
  const isNaming = (key: string) => (key.includes('->') && parseNotation(key)?.binding !== undefined ? 0 : 1);
  return Object.keys(tree).sort((a, b) => isNaming(a) - isNaming(b) || (a < b ? -1 : 1));
}
