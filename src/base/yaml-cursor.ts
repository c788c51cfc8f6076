import type { Json } from './json.ts';
import { apostrophe, backslash, colon, dash, dot, hash, lineFeed, quote, space } from './yaml-characters.ts';
import { createKeyTable, type KeyTable } from './yaml-keys.ts';
import type { resolvePlain } from './yaml-scalar.ts';

/** Thrown inside the reader of manifests only; not an Error, because a stack costs more than many a document. */
export const unknownForm = Symbol('unknown form');

/** Each level is a call or two; the full parser has the real limit. */
const maxDepth = 100;
const maxKeyLength = 200;

/** A place in a YAML text, and what can be read at it in any context. Anything unusual is thrown as `unknownForm`. */
export class YamlCursor {
  at = 0;
  /** Of the line at which the cursor is, in spaces; -1 at the end of a document. */
  indent = -1;
  private depth = 0;
  private readonly keys: KeyTable = createKeyTable();
  /** Where the lines before were counted. */
  private countedTo = 0;

  constructor(
    readonly text: string,
    private line: number,
  ) {}

  enter(): void {
    if (++this.depth > maxDepth) throw unknownForm;
  }

  leave(): void {
    this.depth--;
  }

  passSpaces(): void {
    while (this.text.charCodeAt(this.at) === space) this.at++;
  }

  /** Of an offset that is not before the last one asked for. */
  lineOf(offset: number): number {
    for (let at = this.text.indexOf('\n', this.countedTo); at !== -1 && at < offset; ) {
      this.line++;
      this.countedTo = at + 1;
      at = this.text.indexOf('\n', at + 1);
    }
    return this.line;
  }

  /** Goes to the first content at or after the start of a line. */
  toContent(lineStart: number): void {
    const { text } = this;
    for (let start = lineStart; ; ) {
      let at = start;
      while (text.charCodeAt(at) === space) at++;
      if (at >= text.length) {
        this.at = text.length;
        this.indent = -1;
        return;
      }
      const c = text.charCodeAt(at);
      if (c === lineFeed) {
        start = at + 1;
        continue;
      }
      if (c === hash) {
        const end = text.indexOf('\n', at);
        start = end === -1 ? text.length : end + 1;
        continue;
      }
      this.at = at;
      this.indent = at - start;
      if (this.indent === 0 && (c === dash || c === dot) && this.isMarker(at, c)) {
        if (c === dot) throw unknownForm;
        this.indent = -1;
      }
      return;
    }
  }

  isMarker(at: number, c: number): boolean {
    const { text } = this;
    return text.charCodeAt(at + 1) === c && text.charCodeAt(at + 2) === c && this.isBlank(at + 3);
  }

  /** A space, a line break or the end. */
  isBlank(at: number): boolean {
    const c = this.text.charCodeAt(at);
    return c === space || c === lineFeed || at >= this.text.length;
  }

  /** The rest of the line must be empty, or a comment after a space. */
  endLine(): void {
    const { text } = this;
    let at = this.at;
    while (text.charCodeAt(at) === space) at++;
    const c = text.charCodeAt(at);
    if (at < text.length && c !== lineFeed && (c !== hash || at === this.at)) throw unknownForm;
    const end = c === lineFeed ? at : text.indexOf('\n', at);
    this.toContent(end === -1 ? text.length : end + 1);
  }

  /** Reads a key with its colon. */
  key(): string {
    const { text } = this;
    const start = this.at;
    const c = text.charCodeAt(start);
    if (c === quote || c === apostrophe) {
      const key = this.quoted();
      if (key.length > maxKeyLength || key === '__proto__') throw unknownForm;
      this.passColon();
      return key;
    }
    const key = this.keys.read(text, start);
    if (key === undefined) throw unknownForm;
    this.at = start + key.length;
    this.passColon();
    return key;
  }

  passColon(): void {
    if (this.text.charCodeAt(this.at) !== colon || !this.isBlank(this.at + 1)) throw unknownForm;
    this.at++;
  }

  /** The offset after the closing quote of a text on one line. */
  quoteEnd(start: number): number {
    const { text } = this;
    const mark = text.charCodeAt(start);
    for (let at = start + 1; ; at++) {
      const c = text.charCodeAt(at);
      if (c === lineFeed || Number.isNaN(c)) throw unknownForm;
      if (c === backslash && mark === quote) at++;
      else if (c === mark) {
        if (mark === quote || text.charCodeAt(at + 1) !== apostrophe) return at + 1;
        at++;
      }
    }
  }

  quoted(): string {
    const start = this.at;
    const end = this.quoteEnd(start);
    this.at = end;
    const inside = this.text.slice(start + 1, end - 1);
    if (this.text.charCodeAt(start) === apostrophe) return inside.includes("'") ? inside.replaceAll("''", "'") : inside;
    if (!inside.includes('\\')) return inside;
    if (otherEscape.test(inside.replaceAll('\\\\', ''))) throw unknownForm;
    return JSON.parse(`"${inside}"`) as string;
  }
}

/** An escape that JSON does not have, or writes otherwise. */
const otherEscape = /\\[^"/bfnrt]/;

/** The value of a plain scalar, which JSON must be able to carry. */
export function finite(value: ReturnType<typeof resolvePlain>): Json {
  if (typeof value === 'number' && !Number.isFinite(value)) throw unknownForm;
  return value;
}
