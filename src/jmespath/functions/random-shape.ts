import { invalid } from '../errors.ts';
import { maxNesting } from '../limits.ts';
import { complement, namedClass, perlClass, type Range } from './random-class.ts';

/** What a regular expression says about the texts it matches, as far as one can be made from it. */
export type Shape =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'class'; readonly ranges: readonly Range[] }
  | { readonly kind: 'sequence'; readonly items: readonly Shape[] }
  | { readonly kind: 'choice'; readonly options: readonly Shape[] }
  | { readonly kind: 'repeat'; readonly item: Shape; readonly min: number; readonly max: number };

/** How often `*` and `+` repeat at most; Kyverno's generator goes up to 4096. */
const maxUnbounded = 64;
const nothing: Shape = { kind: 'text', text: '' };
const printable: Range = [0x20, 0x7e];

/** Parses a pattern that the RE2 compiler has accepted. */
export function parseShape(pattern: string): Shape {
  const parser = new ShapeParser([...pattern]);
  return parser.whole();
}

class ShapeParser {
  private at = 0;
  private depth = 0;
  constructor(private readonly source: readonly string[]) {}

  whole(): Shape {
    const shape = this.choice();
    if (this.at < this.source.length) throw invalid('the pattern cannot be turned into text');
    return shape;
  }

  private choice(): Shape {
    if (++this.depth > maxNesting) throw invalid('the pattern nests too deep');
    const options = [this.sequence()];
    while (this.takeIf('|')) options.push(this.sequence());
    this.depth--;
    return options.length === 1 ? (options[0] as Shape) : { kind: 'choice', options };
  }

  private sequence(): Shape {
    const items: Shape[] = [];
    for (let c = this.peek(); c !== undefined && c !== '|' && c !== ')'; c = this.peek()) {
      items.push(this.repeated(this.atom()));
    }
    return items.length === 1 ? (items[0] as Shape) : { kind: 'sequence', items };
  }

  private repeated(item: Shape): Shape {
    for (;;) {
      const bounds = this.bounds();
      if (bounds === undefined) return item;
      this.takeIf('?');
      item = { kind: 'repeat', item, min: bounds[0], max: bounds[1] };
    }
  }

  private bounds(): [number, number] | undefined {
    if (this.takeIf('*')) return [0, maxUnbounded];
    if (this.takeIf('+')) return [1, maxUnbounded];
    if (this.takeIf('?')) return [0, 1];
    // Braces that hold no counts are plain text.
    const found = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.source.slice(this.at, this.at + 12).join(''));
    if (!found) return undefined;
    this.at += found[0].length;
    const min = Number(found[1]);
    if (found[2] === undefined) return [min, min];
    return [min, found[3] === '' ? Math.max(min, maxUnbounded) : Number(found[3])];
  }

  private atom(): Shape {
    const c = this.take();
    if (c === '(') return this.group();
    if (c === '[') return { kind: 'class', ranges: this.bracket() };
    if (c === '.') return { kind: 'class', ranges: [printable] };
    if (c === '^' || c === '$') return nothing;
    if (c !== '\\') return { kind: 'text', text: c };
    if (this.peek() === 'Q') return this.quoted();
    if (/[AbBzZ]/.test(this.peek() ?? '')) {
      this.at++;
      return nothing;
    }
    const escaped = this.escape();
    return typeof escaped === 'number'
      ? { kind: 'text', text: String.fromCodePoint(escaped) }
      : { kind: 'class', ranges: escaped };
  }

  private group(): Shape {
    const flags = /^\?(?:P?<\w+>|[imsU-]*(:|\)))/.exec(this.source.slice(this.at, this.at + 64).join(''));
    if (flags) this.at += flags[0].length;
    if (flags?.[1] === ')') return nothing;
    const shape = this.choice();
    if (!this.takeIf(')')) throw invalid('the pattern cannot be turned into text');
    return shape;
  }

  private quoted(): Shape {
    this.at++;
    const rest = this.source.slice(this.at).join('');
    const end = rest.indexOf('\\E');
    const text = end === -1 ? rest : rest.slice(0, end);
    this.at += [...text].length + (end === -1 ? 0 : 2);
    return { kind: 'text', text };
  }

  private bracket(): Range[] {
    const isNegated = this.takeIf('^');
    const ranges: Range[] = [];
    for (let isFirst = true; isFirst || this.peek() !== ']'; isFirst = false) {
      const named = /^\[:(\^?)(\w+):\]/.exec(this.source.slice(this.at, this.at + 14).join(''));
      if (named) {
        this.at += named[0].length;
        ranges.push(...namedClass(named[2] as string, named[1] === '^'));
        continue;
      }
      const from = this.classCharacter();
      if (typeof from !== 'number') ranges.push(...from);
      else if (this.peek() === '-' && this.source[this.at + 1] !== ']') {
        this.at++;
        const to = this.classCharacter();
        ranges.push([from, typeof to === 'number' ? to : from]);
      } else ranges.push([from, from]);
    }
    this.at++;
    return isNegated ? complement(ranges) : ranges;
  }

  private classCharacter(): number | Range[] {
    const c = this.take();
    return c === '\\' ? this.escape() : (c.codePointAt(0) as number);
  }

  /** What follows a backslash: a code point or a class. */
  private escape(): number | Range[] {
    const c = this.take();
    const perl = perlClass(c);
    if (perl) return perl;
    if (c === 'p' || c === 'P') throw invalid('Unicode classes are not supported in random patterns');
    const control = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 }[c];
    if (control !== undefined) return control;
    const code = /^(?:\{([\da-fA-F]+)\}|([\da-fA-F]{2}))/.exec(this.source.slice(this.at, this.at + 10).join(''));
    if (c === 'x' && code) {
      this.at += code[0].length;
      return Number.parseInt((code[1] ?? code[2]) as string, 16);
    }
    const octal = /^[0-7]{1,3}$/.test(c) ? /^[0-7]{0,2}/.exec(this.source.slice(this.at, this.at + 2).join('')) : null;
    if (octal) {
      this.at += octal[0].length;
      return Number.parseInt(c + octal[0], 8);
    }
    return c.codePointAt(0) as number;
  }

  private peek(): string | undefined {
    return this.source[this.at];
  }

  private take(): string {
    const c = this.source[this.at++];
    if (c === undefined) throw invalid('the pattern cannot be turned into text');
    return c;
  }

  private takeIf(c: string): boolean {
    if (this.source[this.at] !== c) return false;
    this.at++;
    return true;
  }
}
