import type { TemplateCase } from './case.ts';

/**
 * Random templates over the fixture from a seed: expressions that mostly make sense, nested actions, pipelines, and
 * now and then an argument of the wrong type, so that errors and their places are compared too.
 */
export function generateCases(seed: number, count: number): TemplateCase[] {
  const random = mulberry(seed);
  return Array.from({ length: count }, () => ({ template: new Generator(random).template() }));
}

function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Type = 'text' | 'int' | 'float' | 'bool' | 'list' | 'map' | 'any';

const atoms: Readonly<Record<Exclude<Type, 'any'>, readonly string[]>> = {
  text: ['.name', '.tag', '"a b"', '`raw`', '.unicode', '.empty', '.path', '"x-y-z"', '.nested.a.b.c', '"42"'],
  int: ['1', '0', '-3', '42', '.count', '.neg', '.zero', '(len .list)', '.map.a', '(int64 7 | int)'],
  float: ['1.5', '.pi', '2.0', '.small', '-0.5', '1e3'],
  bool: ['true', 'false', '.flag', '.off'],
  list: ['.list', '.words', '.mixed', '.emptyList', '(list 1 "a" 2.5)', '(splitList "," "q,w")', '(until 4)', '.users'],
  map: ['.map', '.nested', '.emptyMap', '(dict "k" 1 "l" "v")', '(index .users 0)'],
};

/** Calls by what they answer; a letter is an argument: t(ext) i(nt) f(loat) b(ool) l(ist) m(ap) a(ny). */
const calls: Readonly<Record<Exclude<Type, 'any'>, readonly string[]>> = {
  text: [
    'upper t',
    'lower t',
    'title t',
    'trim t',
    'repeat i t',
    'trunc i t',
    'replace t t t',
    'printf "%v/%v" a a',
    'print a a',
    'quote a',
    'squote a',
    'join t l',
    'b64enc t',
    'sha1sum t',
    'toJson a',
    'indent i t',
    'printf "%5d|%-4s|%.2f" i t f',
    'typeOf a',
    'kindOf a',
    'trimPrefix t t',
    'substr i i t',
    'snakecase t',
    'kebabcase t',
    'camelcase t',
    'html t',
    'urlquery a',
    'js t',
    'toString a',
    'cat a a',
    'base t',
    'ext t',
    'abbrev i t',
    'regexReplaceAll "[aeiou]" t "<$0>"',
    'toYaml m',
    'seq i',
    'wrap i t',
    'initials t',
    'swapcase t',
    'printf "%x %q %T" t t a',
    'printf "%#v" a',
    'printf "%+d %08.3f %t" i f b',
    'println a i',
  ],
  int: [
    'len t',
    'len l',
    'len m',
    'int a',
    'atoi t',
    'add i i | int',
    'sub i i | int',
    'mul i i | int',
    'div i i | int',
    'max i i | int',
  ],
  float: ['addf f f', 'mulf f i', 'divf f i', 'floor f', 'ceil f', 'round f 2', 'float64 a', 'subf f f'],
  bool: [
    'eq i i',
    'ne t t',
    'lt i i',
    'ge f f',
    'not a',
    'contains t t',
    'hasPrefix t t',
    'has a l',
    'hasKey m t',
    'empty a',
    'regexMatch "^[a-z]+" t',
    'and b b',
    'or b b',
    'deepEqual a a',
    'gt t t',
    'kindIs "map" a',
    'le i i i',
    'eq a a',
  ],
  list: [
    'append l a',
    'rest l',
    'reverse l',
    'uniq l',
    'concat l l',
    'without l a',
    'sortAlpha l',
    'splitList t t',
    'initial l',
    'until i',
    'values (dict "a" i)',
    'compact l',
    'toStrings l',
    'chunk i l',
  ],
  map: [
    'dict t a',
    'pick m t',
    'omit m t',
    'merge (dict t a) m',
    'set (dict) t a',
    'mergeOverwrite (dict t a) m',
    'deepCopy m',
  ],
};

const letters: Readonly<Record<string, Type>> = {
  t: 'text',
  i: 'int',
  f: 'float',
  b: 'bool',
  l: 'list',
  m: 'map',
  a: 'any',
};
const concrete = ['text', 'int', 'float', 'bool', 'list', 'map'] as const;

class Generator {
  private readonly variables: string[] = [];

  constructor(private readonly random: () => number) {}

  template(): string {
    return this.statements(3, 3);
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  private statements(depth: number, most: number): string {
    const known = this.variables.length;
    const text = Array.from({ length: 1 + this.below(most) }, () => this.statement(depth)).join('');
    this.variables.length = known;
    return text;
  }

  private statement(depth: number): string {
    const [open, close] = [this.pick(['{{', '{{ ', '{{- ']), this.pick(['}}', ' }}', ' -}}'])];
    const roll = this.random();
    if (depth === 0 || roll < 0.4) return `${open}${this.pipeline('any', 2)}${close}`;
    if (roll < 0.5) return this.pick([' text ', '\n', ' <b> \n ', '\u00e9']);
    if (roll < 0.6) {
      const value = this.pipeline('any', 2);
      const name = `$v${this.below(3)}`;
      this.variables.push(name);
      return `${open}${name} := ${value}${close}`;
    }
    if (roll < 0.75) {
      const otherwise = this.random() < 0.5 ? `{{else}}${this.statements(depth - 1, 2)}` : '';
      return `${open}if ${this.pipeline('any', 2)}${close}${this.statements(depth - 1, 2)}${otherwise}{{end}}`;
    }
    if (roll < 0.85) return this.loop(depth, open, close);
    const then = this.statements(depth - 1, 1);
    return `${open}with ${this.pipeline('any', 1)}${close}[{{.}}]{{else}}${then}{{end}}`;
  }

  private loop(depth: number, open: string, close: string): string {
    const over = this.pipeline(this.pick(['list', 'map', 'int'] as const), 1);
    const inner = this.statements(depth - 1, 1).replaceAll(/(?<![\w)$])\.(?=[a-z])/g, '$.');
    const stop = this.random() < 0.3 ? this.pick(['{{break}}', '{{if $e}}{{continue}}{{end}}']) : '';
    return `${open}range $e := ${over}${close}{{$e}};${stop}${inner}{{else}}none{{end}}`;
  }

  private pipeline(type: Type, depth: number): string {
    const value = this.expression(type, depth, true);
    if (this.random() < 0.25)
      return `${value} | ${this.pick(['print', 'toJson', 'printf "%v"', 'default "d"', 'quote', 'len', 'upper', 'not'])}`;
    return value;
  }

  private expression(type: Type, depth: number, isTop = false): string {
    // One in twenty is something else than what was asked for.
    const actual = type === 'any' || this.random() < 0.05 ? this.pick(concrete) : type;
    if (type === 'any' && this.variables.length > 0 && this.random() < 0.2) return this.pick(this.variables);
    if (depth === 0 || this.random() < 0.3) return this.pick(atoms[actual]);
    const call = this.pick(calls[actual]).replace(/(?<= )[tifblma](?=$|[ )])/g, (letter) =>
      this.expression(letters[letter]!, depth - 1),
    );
    return isTop && !call.includes(' | ') ? call : `(${call})`;
  }
}
