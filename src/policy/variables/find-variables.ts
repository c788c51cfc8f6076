/** One `{{ … }}` without another one inside: its position, and the text between the braces. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly expression: string;
  /** Written `{{- … }}`: its value is not searched for further variables. */
  readonly isShallow: boolean;
}

const open = 0x7b;
const close = 0x7d;
const backslash = 0x5c;

/**
 * The innermost variables of a text, left to right. A variable may contain `{…}` without nested braces (a multiselect
 * hash); a backslash before the first brace makes it plain text. Linear in the length of the text.
 */
export function findVariables(text: string): readonly Occurrence[] {
  const found: Occurrence[] = [];
  for (let at = text.indexOf('{{'); at !== -1; ) {
    const end = text.charCodeAt(at - 1) === backslash ? -1 : endOf(text, at + 2);
    if (end === -1) {
      at = text.indexOf('{{', at + 1);
      continue;
    }
    found.push(occurrence(text, at, end));
    at = text.indexOf('{{', end);
  }
  return found;
}

/** The position after the `}}` that ends a variable whose content begins at `from`, or -1. */
function endOf(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === close) return text.charCodeAt(i + 1) === close ? i + 2 : -1;
    if (c !== open) continue;
    const inner = nextBrace(text, i + 1);
    if (inner === -1 || text.charCodeAt(inner) !== close) return -1;
    i = inner;
  }
  return -1;
}

function nextBrace(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === open || c === close) return i;
  }
  return -1;
}

function occurrence(text: string, start: number, end: number): Occurrence {
  const content = text.slice(start + 2, end - 2).trim();
  const isShallow = content.startsWith('-');
  return { start, end, expression: isShallow ? content.slice(1).trim() : content, isShallow };
}

export function hasVariables(text: string): boolean {
  return text.includes('{{') && findVariables(text).length > 0;
}
