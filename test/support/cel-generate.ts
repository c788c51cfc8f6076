/** Random expressions and documents: mostly of the right types, now and then not. */
import type { Question } from './cel-oracle.ts';

type Kind =
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bool'
  | 'bytes'
  | 'duration'
  | 'timestamp'
  | 'list'
  | 'map'
  | 'optional';

/** A generator of numbers that gives the same ones for a seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words = [
  '',
  'a',
  'abc',
  'b',
  'hello world',
  'x-y',
  'é',
  '😀z',
  '10',
  '1.5',
  'true',
  'key',
  'a,b,c',
  'ABC',
  ' pad ',
];
const keys = ['a', 'b', 'c', 'name', 'n', 'list', 'map', 'zz', 'x'];
const ints = [
  '0',
  '1',
  '2',
  '3',
  '-1',
  '7',
  '42',
  '100',
  '9007199254740991',
  '9223372036854775807',
  '-9223372036854775808',
];
const kinds: readonly Kind[] = [
  'int',
  'uint',
  'double',
  'string',
  'bool',
  'bytes',
  'duration',
  'timestamp',
  'list',
  'map',
  'optional',
];

export class Generator {
  private locals: { readonly name: string; readonly kind: Kind | 'dyn' }[] = [];
  private count = 0;

  constructor(private readonly random: () => number) {}

  question(): Question {
    const object = {
      a: this.json(3),
      b: this.json(2),
      list: this.items(2),
      map: this.fields(2),
      n: this.json(0),
      name: this.pick(words),
    };
    this.locals = [];
    return { expression: this.expression(this.pick(kinds), 4), object };
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  private json(depth: number): unknown {
    switch (this.below(depth > 0 ? 8 : 6)) {
      case 0:
        return this.below(10) - 2;
      case 1:
        return this.pick(words);
      case 2:
        return this.below(2) === 0;
      case 3:
        return null;
      case 4:
        return this.pick([1.5, -0.25, 1e21, 3.75]);
      case 5:
        return this.pick([1, 2, 3, 9007199254740991]);
      case 6:
        return this.items(depth - 1);
      default:
        return this.fields(depth - 1);
    }
  }

  private items(depth: number): unknown[] {
    const same = this.below(2) === 0 ? this.below(4) : -1;
    return Array.from({ length: this.below(4) }, () => {
      if (same === 0) return this.below(5);
      return same === 1 ? this.pick(words) : this.json(depth);
    });
  }

  /** At most one key most of the time: the order of several is not defined. */
  private fields(depth: number): Record<string, unknown> {
    const count = this.pick([0, 1, 1, 2, 3]);
    return Object.fromEntries(Array.from({ length: count }, () => [this.pick(keys), this.json(depth)]));
  }

  /** Something of the kind, or something of the document that may be of it. */
  private expression(kind: Kind, depth: number): string {
    const roll = this.random();
    if (roll < 0.07) return this.path(depth);
    if (roll < 0.08) return this.expression(this.pick(kinds), depth - 1);
    if (roll < 0.2 && this.locals.length > 0) return this.local();
    if (depth <= 0) return this.literal(kind);
    if (roll < 0.32)
      return `(${this.bool(depth - 1)} ? ${this.expression(kind, depth - 1)} : ${this.expression(kind, depth - 1)})`;
    if (roll < 0.36) return `dyn(${this.expression(kind, depth - 1)})`;
    return this.composite(kind, depth - 1);
  }

  private bool(depth: number): string {
    return this.expression('bool', depth);
  }

  private local(): string {
    const { name } = this.pick(this.locals);
    return this.below(3) === 0 ? `${name}.${this.pick(keys)}` : name;
  }

  private path(depth: number): string {
    let path = 'object';
    for (let steps = this.below(3) + 1; steps > 0; steps--) {
      const roll = this.below(12);
      if (roll < 7) path += `.${this.pick(keys)}`;
      else if (roll < 8) path += `['${this.pick(keys)}']`;
      else if (roll < 9) path += `[${this.below(3)}]`;
      else if (roll < 10) path += `.?${this.pick(keys)}`;
      else if (roll < 11) path += `[?${this.below(3)}]`;
      else path += depth > 0 ? `[${this.expression(this.pick(['int', 'string']), depth - 2)}]` : '.a';
    }
    return path;
  }

  /** Fields of the document or of a local, from one on which may be missing: what most policies read. */
  private optionalPath(): string {
    let path = this.locals.length > 0 && this.below(2) === 0 ? this.pick(this.locals).name : 'object';
    for (let steps = this.below(3); steps > 0; steps--) path += `.${this.pick(keys)}`;
    path += `.?${this.pick(keys)}`;
    for (let steps = this.below(3); steps > 0; steps--) path += `${this.pick(['.', '.', '.?'])}${this.pick(keys)}`;
    return path;
  }

  private literal(kind: Kind): string {
    switch (kind) {
      case 'int':
        return this.pick(ints);
      case 'uint':
        return this.pick(['0u', '1u', '5u', '9223372036854775808u', '18446744073709551615u']);
      case 'double':
        return this.pick(['0.0', '1.0', '-1.5', '2.5', '1e100', '0.1', '1234567.5', '1e18', '-9.3e18', '1e-7']);
      case 'string':
        return `'${this.pick(words)}'`;
      case 'bool':
        return this.pick(['true', 'false']);
      case 'bytes':
        return this.pick(["b''", "b'abc'", "b'\\xff'"]);
      case 'duration':
        return this.pick(["duration('1h')", "duration('-90s')", "duration('1.5s')"]);
      case 'timestamp':
        return this.pick([
          "timestamp('2023-01-31T10:20:30Z')",
          "timestamp('1999-12-31T23:59:59.5+01:00')",
          'timestamp(0)',
        ]);
      case 'list':
        return this.pick(['[]', '[1, 2, 3]', "['a', 'b']", 'object.list', '[[1], []]', '[1.5, 2.5]', '[true]']);
      case 'map':
        return this.pick(['{}', "{'a': 1}", '{1: 2}', "{'a': 'b'}", 'object.map', '{true: 1}']);
      default:
        return this.pick(['optional.none()', 'optional.of(1)', 'object.?a', 'object.?map.?a']);
    }
  }

  private composite(kind: Kind, depth: number): string {
    const of = (each: Kind) => this.expression(each, depth);
    switch (kind) {
      case 'int':
        return this.pick([
          () => `(${of('int')} ${this.pick(['+', '-', '*', '/', '%'])} ${of('int')})`,
          () => `size(${of(this.pick(['string', 'list', 'map', 'bytes']))})`,
          () => `int(${of(this.pick(['int', 'double', 'string', 'uint', 'timestamp', 'duration']))})`,
          () => `-(${of('int')})`,
          () => `${of('string')}.${this.pick(['indexOf', 'lastIndexOf'])}(${of('string')})`,
          () => `${of('list')}.${this.pick(['indexOf', 'lastIndexOf'])}(${of('int')})`,
          () =>
            `${of('timestamp')}.${this.pick(['getHours', 'getFullYear', 'getDayOfWeek', 'getDayOfYear', 'getMilliseconds'])}()`,
          () => `${of('duration')}.${this.pick(['getHours', 'getSeconds'])}()`,
          () => `${of('list')}.${this.pick(['sum', 'max', 'min'])}()`,
          () => `${of('optional')}.orValue(${of('int')})`,
          () => `${of('list')}[${of('int')}]`,
          () => `${of(this.pick(['list', 'map']))}[dyn(${of(this.pick(['double', 'uint', 'int']))})]`,
        ])();
      case 'uint':
        return this.pick([
          () => `(${of('uint')} ${this.pick(['+', '-', '*', '/', '%'])} ${of('uint')})`,
          () => `uint(${of(this.pick(['int', 'double', 'string']))})`,
        ])();
      case 'double':
        return this.pick([
          () => `(${of('double')} ${this.pick(['+', '-', '*', '/'])} ${of('double')})`,
          () => `double(${of(this.pick(['int', 'string', 'uint']))})`,
        ])();
      case 'string':
        return this.text(of);
      case 'bool':
        return this.test(of, depth);
      case 'bytes':
        return this.pick([() => `bytes(${of('string')})`, () => `(${of('bytes')} + ${of('bytes')})`])();
      case 'duration':
        return this.pick([
          () => `(${of('duration')} ${this.pick(['+', '-'])} ${of('duration')})`,
          () => `(${of('timestamp')} - ${of('timestamp')})`,
        ])();
      case 'timestamp':
        return this.pick([
          () => `(${of('timestamp')} ${this.pick(['+', '-'])} ${of('duration')})`,
          () => `timestamp(${of('int')})`,
        ])();
      case 'list':
        return this.sequence(of, depth);
      case 'map':
        return this.pick([
          () => `{'a': ${of('int')}, 'b': ${of('int')}}`,
          () => `{${of('string')}: ${of('string')}}`,
          () => `{?'a': ${of('optional')}}`,
          () => `${of('list')}.transformMap(${this.loop(2, () => of('int'))})`,
        ])();
      default:
        return this.pick([
          () => `optional.of(${of('int')})`,
          () => `optional.ofNonZeroValue(${of('string')})`,
          () => `${of('map')}.?${this.pick(keys)}`,
          () => `${of('list')}[?${of('int')}]`,
          () => `${of('optional')}.or(${of('optional')})`,
          () => `${of('optional')}.optMap(${this.loop(1, () => of('int'))})`,
          () => `${of('list')}.${this.pick(['first', 'last'])}()`,
        ])();
    }
  }

  private text(of: (kind: Kind) => string): string {
    return this.pick([
      () => `(${of('string')} + ${of('string')})`,
      () => `string(${of(this.pick(['int', 'double', 'bool', 'uint', 'bytes', 'duration', 'timestamp']))})`,
      () => `${of('string')}.${this.pick(['lowerAscii', 'upperAscii', 'trim'])}()`,
      () => `${of('string')}.substring(${of('int')})`,
      () => `${of('string')}.replace(${of('string')}, ${of('string')})`,
      () => `${of('string')}.charAt(${of('int')})`,
      () => `${of('list')}.join(${of('string')})`,
      () => `${of('string')}.find('[a-c]+')`,
      () => `strings.quote(${of('string')})`,
    ])();
  }

  private test(of: (kind: Kind) => string, depth: number): string {
    const kind = this.pick(kinds);
    return this.pick([
      () => `(${of('bool')} && ${of('bool')})`,
      () => `(${of('bool')} || ${of('bool')})`,
      () => `(${of('bool')} && ${of('bool')} && ${of('bool')})`,
      () => `!(${of('bool')})`,
      () => `(${of(kind)} ${this.pick(['==', '!='])} ${of(kind)})`,
      () => `(${of(kind)} ${this.pick(['<', '<=', '>', '>='])} ${of(kind)})`,
      () => `(${of('int')} ${this.pick(['<', '==', '>='])} ${of('double')})`,
      () => `(${of('int')} in ${of('list')})`,
      () => `(${of('string')} in ${of('map')})`,
      () => `has(${this.path(0)}.${this.pick(keys)})`,
      () => `${of('list')}.${this.pick(['all', 'exists', 'exists_one'])}(${this.loop(1, () => this.bool(depth))})`,
      () => `${of('list')}.${this.pick(['all', 'exists'])}(${this.loop(2, () => this.bool(depth))})`,
      () => `${of('map')}.${this.pick(['all', 'exists'])}(${this.loop(1, () => this.bool(depth))})`,
      () => `${of('string')}.${this.pick(['startsWith', 'endsWith', 'contains'])}(${of('string')})`,
      () => `${of('string')}.matches('${this.pick(['^a', '[0-9]+', 'b|c', '.*'])}')`,
      () => `${of('optional')}.hasValue()`,
      () => `${this.optionalPath()}.hasValue()`,
      () => this.optionalTest(depth),
      () => `sets.${this.pick(['contains', 'intersects', 'equivalent'])}(${of('list')}, ${of('list')})`,
      () => `${of('list')}.isSorted()`,
    ])();
  }

  private optionalTest(depth: number): string {
    const kind = this.pick(['int', 'string', 'bool', 'double'] as const);
    const value = () => `${this.optionalPath()}.orValue(${this.literal(kind)})`;
    return this.pick([
      () => `(${value()} ${this.pick(['==', '!=', '<', '>='])} ${this.literal(kind)})`,
      () => `(${value()} in [${this.literal(kind)}, ${this.literal(kind)}])`,
      () =>
        `${this.optionalPath()}.orValue([]).${this.pick(['all', 'exists'])}(${this.loop(1, () => this.bool(depth))})`,
    ])();
  }

  private sequence(of: (kind: Kind) => string, depth: number): string {
    return this.pick([
      () => `[${of('int')}, ${of('int')}]`,
      () => `[${of('string')}]`,
      () => `[?${of('optional')}]`,
      () => `(${of('list')} + ${of('list')})`,
      () => `${of('list')}.map(${this.loop(1, () => of('int'))})`,
      () => `${of('list')}.filter(${this.loop(1, () => this.bool(depth))})`,
      () => `${of('list')}.transformList(${this.loop(2, () => of('int'))})`,
      () => `${of('list')}.${this.pick(['reverse', 'distinct', 'sort', 'flatten'])}()`,
      () => `${of('list')}.slice(0, ${of('int')})`,
      () => `${of('string')}.split(${of('string')})`,
      () => `lists.range(${this.below(4)})`,
    ])();
  }

  /** Variables of a loop, and what is evaluated with them in sight. */
  private loop(count: 1 | 2, body: () => string): string {
    const names = Array.from({ length: count }, () => `v${this.count++}`);
    for (const name of names) this.locals.push({ name, kind: 'dyn' });
    const inside = body();
    this.locals.length -= count;
    return `${names.join(', ')}, ${inside}`;
  }
}

export function generateQuestions(seed: number, count: number): readonly Question[] {
  const generator = new Generator(seeded(seed));
  return Array.from({ length: count }, () => generator.question());
}
