import { isPrintable } from '../../base/index.ts';
import { encodeUtf8 } from '../utf8.ts';

const htmlEntities: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

export const escapeHtml = (text: string): string => text.replace(/[\0"'&<>]/g, (c) => htmlEntities[c]!);

/** The text inside a JavaScript string. */
export function escapeJs(text: string): string {
  let escaped = '';
  for (const c of text) escaped += escapeJsCharacter(c);
  return escaped;
}

function escapeJsCharacter(c: string): string {
  if (c === '\\' || c === "'" || c === '"') return `\\${c}`;
  const code = c.codePointAt(0)!;
  if ('<>&='.includes(c) || code < 0x20) return `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (code < 0x80 || isPrintable(c)) return c;
  const shown = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
  return shown === 0xfffd ? '\ufffd' : `\\u${shown.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** `url.QueryEscape`. */
export const escapeQuery = (text: string): string => escapeBytes(text, /[A-Za-z0-9\-_.~]/).replaceAll('%20', '+');

export function escapeBytes(text: string, plain: RegExp): string {
  let escaped = '';
  for (const byte of encodeUtf8(text)) {
    const c = String.fromCharCode(byte);
    escaped += byte < 0x80 && plain.test(c) ? c : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}
