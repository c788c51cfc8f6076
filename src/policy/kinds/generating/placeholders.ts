/** A part of a text: as it is written, or an expression of a `(( … ))`. */
export type Segment = { readonly text: string } | { readonly expression: string };

/** The parts of a text. `\((` stands for `((`; parentheses and quotes inside of an expression are heeded. */
export function parsePlaceholders(text: string): readonly Segment[] | { readonly error: string } {
  const segments: Segment[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    if (text.startsWith('\\((', at)) {
      literal += '((';
      at += 3;
    } else if (text.startsWith('((', at)) {
      const end = endOfExpression(text, at);
      if (typeof end !== 'number') return end;
      const expression = text.slice(at + 2, end).trim();
      if (expression === '') return { error: `empty placeholder at offset ${at}` };
      if (literal !== '') segments.push({ text: literal });
      literal = '';
      segments.push({ expression });
      at = end + 2;
    } else {
      literal += text[at];
      at++;
    }
  }
  if (literal !== '') segments.push({ text: literal });
  return segments;
}

/** Where the two parentheses are that close the placeholder. */
function endOfExpression(text: string, start: number): number | { readonly error: string } {
  let depth = 0;
  let quote = '';
  for (let at = start + 2; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '(') depth++;
    else if (character === ')' && depth > 0) depth--;
    else if (character === ')') {
      if (text[at + 1] === ')') return at;
      return { error: `unbalanced parenthesis in placeholder starting at offset ${start}` };
    }
  }
  const what = quote === '' ? "unterminated placeholder starting at offset %: missing closing '))'" : unterminated;
  return { error: what.replace('%', String(start)) };
}

const unterminated = 'unterminated string literal in placeholder starting at offset %';

/** Whether there is anything to replace. */
export const hasPlaceholder = (text: string): boolean => text.includes('((');
