/** Upper and lower case as Go maps it: one code point to one code point, no language rules. */
export function toUpper(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapEach(text, upperOf);
}

export function toLower(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapEach(text, lowerOf);
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

function mapEach(text: string, map: (c: string) => string): string {
  let result = '';
  for (const c of text) result += map(c);
  return result;
}

function upperOf(c: string): string {
  const upper = c.toUpperCase();
  if (upper.length === c.length) return upper;
  // Greek letters with iota subscript: JavaScript expands the iota, the simple mapping is the title case letter.
  const code = c.codePointAt(0) as number;
  if (code >= 0x1f80 && code <= 0x1faf) return String.fromCodePoint(code | 8);
  return { '\u1fb3': '\u1fbc', '\u1fc3': '\u1fcc', '\u1ff3': '\u1ffc' }[c] ?? c;
}

function lowerOf(c: string): string {
  const lower = c.toLowerCase();
  return lower.length === c.length ? lower : c === '\u0130' ? 'i' : c;
}
