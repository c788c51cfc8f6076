import { refuse } from './not-convertible.ts';

type Part = { readonly text: string } | { readonly expression: string };

/** The outermost variables of a text, and what is between them. */
export function partsOf(text: string, path: string): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf('{{', from)) {
    if (text[at - 1] === '\\') return refuse(path, 'an escaped variable');
    const end = endOf(text, at);
    if (end === -1) return refuse(path, 'a variable that is not closed');
    if (at > from) parts.push({ text: text.slice(from, at) });
    parts.push({ expression: text.slice(at + 2, end - 2).trim() });
    from = end;
  }
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from) });
  return parts;
}

function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text.startsWith('{{', at)) {
      depth++;
      at++;
    } else if (text.startsWith('}}', at)) {
      at++;
      if (--depth === 0) return at + 1;
    }
  }
  return -1;
}
