import type { Json } from './json.ts';
import { JsonError } from './json-error.ts';
import { setOwn } from './own.ts';

/** A strict JSON parser that keeps integers beyond 2^53 as bigint. Not recursive; nesting is bounded by the caller. */
export function parseExactJson(text: string): Json {
  return new ExactParser(text).parse();
}

/** Paths of the keys that an object has more than once. */
export function listDuplicateKeys(text: string): readonly string[] {
  const duplicates = new Set<string>();
  new ExactParser(text, duplicates).parse();
  return [...duplicates];
}

const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;

/** A list or object that is still open; `key` is the key of the next value. */
interface Frame {
  readonly list: Json[] | undefined;
  readonly object: Record<string, Json>;
  key: string;
}

class ExactParser {
  private at = 0;
  private readonly frames: Frame[] = [];
  constructor(
    private readonly text: string,
    private readonly duplicates?: Set<string>,
  ) {}

  parse(): Json {
    let value = this.start();
    for (;;) {
      const frame = this.frames.at(-1);
      if (value === opened) value = this.first(frame!);
      else if (frame === undefined) break;
      else value = this.next(frame, value);
    }
    this.space();
    if (this.at < this.text.length) this.fail();
    return value;
  }

  /** A scalar, or `opened` after a bracket, whose frame is then the innermost. */
  private start(): Json | typeof opened {
    this.space();
    const c = this.text[this.at];
    if (c === '{' || c === '[') {
      this.at++;
      this.frames.push({ list: c === '[' ? [] : undefined, object: {}, key: '' });
      return opened;
    }
    if (c === '"') return this.string();
    if (c === 't') return this.word('true', true);
    if (c === 'f') return this.word('false', false);
    if (c === 'n') return this.word('null', null);
    return this.number();
  }

  private first(frame: Frame): Json | typeof opened {
    this.space();
    if (this.take(frame.list ? ']' : '}')) return this.close(frame);
    if (!frame.list) this.key(frame);
    return this.start();
  }

  /** Adds a finished value to its frame, and starts the next value or closes the frame. */
  private next(frame: Frame, value: Json): Json | typeof opened {
    if (frame.list) frame.list.push(value);
    else setOwn(frame.object, frame.key, value);
    this.space();
    if (this.take(',')) {
      if (!frame.list) this.key(frame);
      return this.start();
    }
    if (!this.take(frame.list ? ']' : '}')) this.fail();
    return this.close(frame);
  }

  private close(frame: Frame): Json {
    this.frames.pop();
    return frame.list ?? frame.object;
  }

  private key(frame: Frame): void {
    this.space();
    if (this.text[this.at] !== '"') this.fail();
    frame.key = this.string();
    if (this.duplicates && Object.hasOwn(frame.object, frame.key)) this.duplicates.add(this.path());
    this.space();
    if (!this.take(':')) this.fail();
  }

  private path(): string {
    const parts = this.frames.map(({ list, key }) => (list ? `[${list.length}]` : `.${key}`)).join('');
    return parts.startsWith('.') ? parts.slice(1) : parts;
  }

  private string(): string {
    const start = this.at++;
    for (; this.at < this.text.length; this.at++) {
      const c = this.text[this.at];
      if (c === '\\') this.at++;
      else if (c === '"') {
        this.at++;
        try {
          return JSON.parse(this.text.slice(start, this.at));
        } catch {
          this.at = start;
          this.fail();
        }
      }
    }
    return this.fail();
  }

  private number(): number | bigint {
    number.lastIndex = this.at;
    const found = number.exec(this.text);
    if (!found) return this.fail();
    this.at = number.lastIndex;
    const value = Number(found[0]);
    const isInteger = found[1] === undefined && found[2] === undefined;
    return isInteger && !Number.isSafeInteger(value) ? BigInt(found[0]) : value;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail();
    this.at += word.length;
    return value;
  }

  private take(c: string): boolean {
    if (this.text[this.at] !== c) return false;
    this.at++;
    return true;
  }

  private space(): void {
    for (let c = this.text.charCodeAt(this.at); c === 32 || c === 10 || c === 13 || c === 9; ) {
      c = this.text.charCodeAt(++this.at);
    }
  }

  private fail(): never {
    const what = this.at >= this.text.length ? 'end of input' : JSON.stringify(this.text[this.at]);
    throw new JsonError('json-invalid', `unexpected ${what} at position ${this.at}`);
  }
}

const opened = Symbol('opened');
