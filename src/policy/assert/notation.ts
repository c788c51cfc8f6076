/** What a key or a text of an assertion tree means. */
export interface Notation {
  /** The name of a field, or an expression. */
  readonly statement: string;
  readonly isExpression: boolean;
  /** The language an expression names before its colon; empty when it names none. */
  readonly language: string;
  /** `~.` visits every element; `~name.` also gives a name to its index or key. */
  readonly each?: { readonly index?: string };
  /** `->name` gives a name to what is found. */
  readonly binding?: string;
}

const each = /^~(\w+)?\.([^\n]*)/;
const binding = /([^\n]*)\s*->\s*(\w+)$/;
const escaped = /^\\([^\n]+)\\$/;
const expression = /^\((?:(\w+):)?([^\n]+)\)$/;

/** Undefined for a text that says nothing once its marks are taken off: it then stands for itself. */
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
 * Keys in the order they are judged: those that give names come first, so that their neighbours can use them however
 * the document was stored on its way here; then by their text.
 */
export function orderedKeys(tree: Readonly<Record<string, unknown>>): readonly string[] {
  const isNaming = (key: string) => (key.includes('->') && parseNotation(key)?.binding !== undefined ? 0 : 1);
  return Object.keys(tree).sort((a, b) => isNaming(a) - isNaming(b) || (a < b ? -1 : 1));
}
