const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** The text between the quotes of a token without its quotes, and whether it is raw. Line ends are newlines. */
function body(token: string): { text: string; isRaw: boolean } {
  const isRaw = token[0] === 'r' || token[0] === 'R';
  const quoted = (isRaw ? token.slice(1) : token).replace(/\r\n?/g, '\n');
  const width = quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''")) ? 3 : 1;
  return { text: quoted.slice(width, quoted.length - width), isRaw };
}

const escapes = /\\(?:([0-3][0-7][0-7])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gs;

/** The string that a token means, or what is wrong with it. */
export function unescapeString(token: string): { readonly text: string } | { readonly error: string } {
  const { text, isRaw } = body(token);
  if (isRaw || !text.includes('\\')) return { text };
  let error: string | undefined;
  const plain = text.replace(escapes, (_, octal, hex, short, long, character: string | undefined) => {
    if (character !== undefined) return simple[character] ?? character;
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long, 16) : Number.parseInt(octal, 8);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      error = 'invalid unicode code point';
      return '';
    }
    return String.fromCodePoint(code);
  });
  return error === undefined ? { text: plain } : { error };
}

/** The bytes that a token (without its `b`) means: `\x` and octal escapes are bytes, everything else is UTF-8. */
export function unescapeBytes(token: string): { readonly bytes: Uint8Array } | { readonly error: string } {
  const { text, isRaw } = body(token);
  if (isRaw || !text.includes('\\')) return { bytes: new TextEncoder().encode(text) };
  const parts: Buffer[] = [];
  let copied = 0;
  for (const found of text.matchAll(escapes)) {
    const [whole, octal, hex, short, long, character] = found;
    if (short !== undefined || long !== undefined) return { error: 'unable to unescape string' };
    parts.push(Buffer.from(text.slice(copied, found.index), 'utf8'));
    copied = found.index + whole.length;
    if (character !== undefined) parts.push(Buffer.from(simple[character] ?? character, 'utf8'));
    else
      parts.push(Buffer.from([octal === undefined ? Number.parseInt(hex as string, 16) : Number.parseInt(octal, 8)]));
  }
  parts.push(Buffer.from(text.slice(copied), 'utf8'));
  return { bytes: new Uint8Array(Buffer.concat(parts)) };
}
