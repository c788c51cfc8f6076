import { type Json, JsonError } from './json.ts';

/** A strict JSON parser that keeps integers beyond 2^53 as bigint. Nesting is bounded by the caller. */
export function parseExactJson(text: string): Json {
  const parser = new ExactParser(text);
  const value = parser.value();
  parser.end();
  return value;
}

/** Paths of the keys that an object has more than once. */
export function listDuplicateKeys(text: string): readonly string[] {
  const duplicates = new Set<string>();
  new ExactParser(text, duplicates).value();
  return [...duplicates];
}

const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;

class ExactParser {
  private at = 0;
  private readonly path: string[] = [];
  constructor(
    private readonly text: string,
    private readonly duplicates?: Set<string>,
  ) {}

  value(): Json {
    this.space();
    const c = this.text[this.at];
    if (c === '{') return this.object();
    if (c === '[') return this.array();
    if (c === '"') return this.string();
    if (c === 't') return this.word('true', true);
    if (c === 'f') return this.word('false', false);
    if (c === 'n') return this.word('null', null);
    return this.number();
  }

  end(): void {
    this.space();
    if (this.at < this.text.length) this.fail();
  }

  private object(): Json {
    const result: Record<string, Json> = {};
    this.at++;
    this.space();
    if (this.take('}')) return result;
    do {
      this.space();
      if (this.text[this.at] !== '"') this.fail();
      const key = this.string();
      if (key === '__proto__') throw new JsonError('json-forbidden-key', 'the key "__proto__" is not allowed');
      this.space();
      if (!this.take(':')) this.fail();
      this.path.push(this.path.length === 0 ? key : `.${key}`);
      if (this.duplicates && Object.hasOwn(result, key)) this.duplicates.add(this.path.join(''));
      result[key] = this.value();
      this.path.pop();
      this.space();
    } while (this.take(','));
    if (!this.take('}')) this.fail();
    return result;
  }

  private array(): Json {
    const result: Json[] = [];
    this.at++;
    this.space();
    if (this.take(']')) return result;
    do {
      this.path.push(`[${result.length}]`);
      result.push(this.value());
      this.path.pop();
      this.space();
    } while (this.take(','));
    if (!this.take(']')) this.fail();
    return result;
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
