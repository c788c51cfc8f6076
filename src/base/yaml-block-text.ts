import { dash, greater, lineFeed, plus, space } from './yaml-characters.ts';
import { unknownForm, type YamlCursor } from './yaml-cursor.ts';

/** A literal (`|`) or folded (`>`) text; its lines are deeper than `parent`. */
export function readBlockText(cursor: YamlCursor, parent: number): string {
  const { text } = cursor;
  const isFolded = text.charCodeAt(cursor.at) === greater;
  cursor.at++;
  const sign = text.charCodeAt(cursor.at);
  if (sign === dash || sign === plus) cursor.at++;
  let start = lineAfterHeader(cursor);
  const lines: string[] = [];
  let indent = -1;
  let isUnfinished = false;
  for (; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    let at = start;
    while (text.charCodeAt(at) === space) at++;
    if (at >= end) {
      // Spaces beyond the indent would be text.
      if (end - start > Math.max(indent, 0)) throw unknownForm;
      lines.push('');
    } else {
      if (indent === -1) indent = at - start;
      if (indent <= parent || at - start < indent) break;
      lines.push(text.slice(start + indent, end));
    }
    isUnfinished = found === -1;
    start = end + 1;
  }
  if (isUnfinished || indent <= parent) throw unknownForm;
  cursor.toContent(start);
  if (cursor.indent > parent) throw unknownForm;
  return chomp(lines, sign, isFolded);
}

/** Where the line after `|` or `>` begins. */
function lineAfterHeader(cursor: YamlCursor): number {
  const { text } = cursor;
  cursor.passSpaces();
  if (text.charCodeAt(cursor.at) !== lineFeed) throw unknownForm;
  return cursor.at + 1;
}

function chomp(lines: string[], sign: number, isFolded: boolean): string {
  let last = lines.length;
  while (last > 0 && lines[last - 1] === '') last--;
  const blanks = lines.length - last;
  const body = isFolded ? fold(lines.slice(0, last)) : lines.slice(0, last).join('\n');
  return body + (sign === dash ? '' : sign === plus ? '\n'.repeat(blanks + 1) : '\n');
}

/** One line break becomes a space, of several the first is dropped. */
function fold(lines: readonly string[]): string {
  let body = '';
  let hasText = false;
  let breaks = 0;
  for (const line of lines) {
    if (line === '') {
      breaks++;
      continue;
    }
    if (line.startsWith(' ')) throw unknownForm;
    if (breaks > 0) body += '\n'.repeat(breaks);
    else if (hasText) body += ' ';
    body += line;
    hasText = true;
    breaks = 0;
  }
  return body;
}
