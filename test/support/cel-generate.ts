/** Random expressions and documents: mostly of the right types, now and then not. */
import type { CelType } from '../../src/cel/types.ts';
import { extendedEnvironment, plainEnvironment } from './cel-answer.ts';
import { type CallForm, callForms, quoteCel } from './cel-generate-calls.ts';
import { domains, letters, made, writtenTexts, zones } from './cel-generate-words.ts';
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
  | 'optional'
  | keyof typeof made;

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
/** Fields that are no names: in back quotes after a dot. */
const oddFields = ['x-y', 'k8s.io/a', 'in', 'a b', '1'];
const oddKeys = [...oddFields, 'é'];
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
/** What most expressions are about; the others are made for calls of their own. */
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

const madeKinds = Object.keys(made) as (keyof typeof made)[];
const allKinds: readonly Kind[] = [...kinds, ...madeKinds];
/** Of the elements of lists: there is a form of most functions for each. */
const elementKinds = ['int', 'string', 'double', 'bool', 'uint', 'bytes', 'duration', 'timestamp', 'map'] as const;

const numbers: ReadonlySet<Kind> = new Set(['int', 'uint', 'double'] as const);

const kindsByType: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['google.protobuf.Duration', 'duration'],
  ['google.protobuf.Timestamp', 'timestamp'],
  ['optional_type', 'optional'],
  ['kubernetes.Quantity', 'quantity'],
  ['kubernetes.URL', 'url'],
  ['net.IP', 'ip'],
  ['net.CIDR', 'cidr'],
  ['kubernetes.Semver', 'semver'],
  ['kubernetes.NamedFormat', 'format'],
]);

/** Of a type parameter or dyn there is any kind. */
const kindOf = ({ kind, name }: CelType): Kind | undefined =>
  kind === 'param' || kind === 'dyn' ? undefined : (kindsByType.get(name) ?? (name as Kind));

function formsByKind(forms: readonly CallForm[]): ReadonlyMap<Kind, readonly CallForm[]> {
  return new Map(
    allKinds.map((kind) => [kind, forms.filter(({ result }) => (kindOf(result) ?? kind) === kind)] as const),
  );
}

const plainForms = formsByKind(callForms(plainEnvironment.functions));
const extendedForms = formsByKind(callForms(extendedEnvironment.functions));

export class Generator {
  /** The forms of functions that were called. */
  readonly called = new Set<string>();
  private forms = plainForms;
  private isExtended = false;
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
    this.isExtended = this.below(4) === 0;
    this.forms = this.isExtended ? extendedForms : plainForms;
    const expression = this.expression(this.pick(this.below(12) === 0 ? madeKinds : kinds), 1 + this.below(4));
    return { expression, object, ...(this.isExtended ? { extended: true } : {}) };
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
    return Object.fromEntries(Array.from({ length: count }, () => [this.key(), this.json(depth)]));
  }

  private key(): string {
    return this.below(12) === 0 ? this.pick(oddKeys) : this.pick(keys);
  }

  private field(): string {
    return this.below(20) === 0 ? `\`${this.pick(oddFields)}\`` : this.pick(keys);
  }

  /** Something of the kind, or something of the document that may be of it. */
  private expression(kind: Kind, depth: number): string {
    const roll = this.random();
    if (roll < 0.03) return this.path(depth);
    if (roll < 0.033) return this.expression(this.pick(allKinds), depth - 1);
    const fits = this.locals.some((local) => local.kind === kind || local.kind === 'dyn');
    if (roll < (fits ? 0.25 : 0.04) && this.locals.length > 0) return this.local(kind);
    if (depth <= 0) return this.literal(kind);
    if (roll < 0.32)
      return `(${this.bool(depth - 1)} ? ${this.expression(kind, depth - 1)} : ${this.expression(kind, depth - 1)})`;
    if (roll < 0.36) return `dyn(${this.expression(kind, depth - 1)})`;
    if (roll < 0.39 && this.isExtended) return this.binding(kind, depth - 1);
    if (roll < 0.41 && this.isExtended && numbers.has(kind)) return this.extreme(kind, depth - 1);
    if (roll < 0.68) return this.call(kind, depth - 1);
    return this.composite(kind, depth - 1);
  }

  private binding(kind: Kind, depth: number): string {
    const bound = this.pick(kinds);
    const value = this.expression(bound, depth);
    const name = `v${this.count++}`;
    this.locals.push({ name, kind: bound });
    const inside = this.expression(kind, depth);
    this.locals.pop();
    // The name of a type, bound to a variable, is taken for a type of the variable's name.
    return `cel.bind(${name}, ${made.type.some((type) => type === value) ? `dyn(${value})` : value}, ${inside})`;
  }

  /** The least or greatest of one number, of several, or of a list. */
  private extreme(kind: Kind, depth: number): string {
    const texts = Array.from({ length: 1 + this.below(4) }, () => this.expression(kind, depth));
    if (this.below(8) === 0) texts.push(this.expression(this.pick(kinds), depth));
    const list = texts.join(', ');
    return `math.${this.pick(['least', 'greatest'])}(${this.below(3) === 0 ? `[${list}]` : list})`;
  }

  /** A call of any function that gives the kind. */
  private call(kind: Kind, depth: number): string {
    const forms = this.forms.get(kind) ?? [];
    if (forms.length === 0) return this.literal(kind);
    const { name, overload, isMember, args, result } = this.pick(forms);
    this.called.add(overload);
    const types = new Map<string, CelType>();
    if (result.kind === 'param') types.set(result.name, simpleType(kind));
    const texts = args.map((type, i) => this.argument(type, domains[name]?.[i], types, depth));
    if (!isMember) return `${name}(${texts.join(', ')})`;
    const [receiver, ...others] = texts;
    return `${receiver}.${name}(${others.join(', ')})`;
  }

  private argument(
    type: CelType,
    domain: readonly string[] | undefined,
    types: Map<string, CelType>,
    depth: number,
  ): string {
    if (domain !== undefined && type.kind === 'string' && this.below(6) > 0) return this.word(domain);
    if (type.kind === 'param') {
      const known = types.get(type.name) ?? simpleType(this.pick(elementKinds));
      types.set(type.name, known);
      return this.expression(kindOf(known) ?? this.pick(kinds), depth);
    }
    const kind = kindOf(type);
    const [of, value] = type.params;
    if (kind === undefined) return `dyn(${this.expression(this.pick(allKinds), depth)})`;
    if (of === undefined || this.below(12) === 0) return this.expression(kind, depth);
    const inner = () => this.argument(of, undefined, types, depth - 1);
    if (kind === 'list') return `[${Array.from({ length: this.below(4) }, inner).join(', ')}]`;
    if (kind === 'optional') return `optional.of(${inner()})`;
    if (kind === 'map' && value) return `{${inner()}: ${this.argument(value, undefined, types, depth - 1)}}`;
    return this.expression(kind, depth);
  }

  /** A text of the domain, as it is or with one character changed. */
  private word(domain: readonly string[]): string {
    let text = this.pick(domain);
    // Powers of ten have a limit here that they do not have in Go, which reads classes of characters more leniently.
    if (this.below(4) === 0 && !/e-?\d|\\p/i.test(text)) {
      const at = this.below(text.length + 1);
      const changes = domain === zones ? letters.filter((letter) => !'./'.includes(letter)) : letters;
      text = text.slice(0, at) + this.pick([...changes, '']) + text.slice(at + this.below(2));
    }
    return this.below(12) === 0 ? `dyn(${quoteCel(text)})` : quoteCel(text);
  }

  /** What a loop goes over, and what its variables are of: the index or key before the element. */
  private range(depth: number): { readonly text: string; readonly kinds: readonly (Kind | 'dyn')[] } {
    const roll = this.below(10);
    if (roll === 0) return { text: this.expression('list', depth), kinds: ['dyn', 'dyn'] };
    if (roll === 1) return { text: `dyn(${this.expression('list', depth)})`, kinds: ['dyn', 'dyn'] };
    if (roll === 2) return { text: 'object.list', kinds: ['int', 'dyn'] };
    if (roll === 3) return { text: 'object.map', kinds: ['string', 'dyn'] };
    const kind = this.pick(elementKinds);
    const item = () => this.expression(kind, depth - 1);
    if (roll === 4) return { text: `{'a': ${item()}, 'b': ${item()}}`, kinds: ['string', kind] };
    if (roll === 5) return { text: `{${this.below(3)}: ${item()}}`, kinds: ['int', kind] };
    return { text: `[${Array.from({ length: 1 + this.below(3) }, item).join(', ')}]`, kinds: ['int', kind] };
  }

  /** A macro that goes over something with variables of their kinds. */
  private over(name: string, count: 1 | 2, depth: number, body: () => string): string {
    const { text, kinds: both } = this.range(depth);
    const isMap = text.startsWith('{') || text === 'object.map';
    return `${text}.${name}(${this.loop(count === 2 ? both : [(isMap ? both[0] : both[1]) ?? 'dyn'], body)})`;
  }

  private bool(depth: number): string {
    return this.expression('bool', depth);
  }

  private local(kind: Kind): string {
    const fitting = this.locals.filter((local) => local.kind === kind || local.kind === 'dyn');
    const { name, kind: own } = this.pick(fitting.length > 0 && this.below(12) > 0 ? fitting : this.locals);
    return own === 'dyn' && this.below(3) === 0 ? `${name}.${this.field()}` : name;
  }

  private path(depth: number): string {
    let path = 'object';
    for (let steps = this.below(3) + 1; steps > 0; steps--) {
      const roll = this.below(12);
      if (roll < 7) path += `.${this.field()}`;
      else if (roll < 8) path += `['${this.key()}']`;
      else if (roll < 9) path += `[${this.below(3)}]`;
      else if (roll < 10) path += `.?${this.field()}`;
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
    for (let steps = this.below(3); steps > 0; steps--) path += `${this.pick(['.', '.', '.?'])}${this.field()}`;
    return path;
  }

  private literal(kind: Kind): string {
    switch (kind) {
      case 'int':
        return this.pick([...ints, '0x1f', '-0x8000000000000000']);
      case 'uint':
        return this.pick(['0u', '1u', '5u', '9223372036854775808u', '18446744073709551615u']);
      case 'double':
        return this.pick(['0.0', '1.0', '-1.5', '2.5', '1e100', '0.1', '1234567.5', '1e18', '-9.3e18', '1e-7']);
      case 'string':
        return this.below(15) === 0 ? this.pick(writtenTexts) : `'${this.pick(words)}'`;
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
        return this.pick(['{}', "{'a': 1}", '{1: 2}', "{'a': 'b'}", 'object.map', '{true: 1}', '{1u: 2, 2u: 3}']);
      case 'optional':
        return this.pick(['optional.none()', 'optional.of(1)', 'object.?a', 'object.?map.?a', 'optional.of(null)']);
      default:
        return this.pick(made[kind]);
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
          () => this.over('transformMap', 2, depth, () => of('int')),
          () => this.over('transformMap', 2, depth, () => `${this.bool(depth)}, ${of('string')}`),
          () => this.over('transformMapEntry', 2, depth, () => this.entry(of)),
          () => this.over('transformMapEntry', 2, depth, () => `${this.bool(depth)}, ${this.entry(of)}`),
        ])();
      case 'optional':
        return this.pick([
          () => `optional.of(${of('int')})`,
          () => `optional.ofNonZeroValue(${of('string')})`,
          () => `${of('map')}.?${this.pick(keys)}`,
          () => `${of('list')}[?${of('int')}]`,
          () => `${of('optional')}.or(${of('optional')})`,
          () => `${of('optional')}.optMap(${this.loop(['dyn'], () => of('int'))})`,
          () => `${of('optional')}.optFlatMap(${this.loop(['dyn'], () => of('optional'))})`,
          () => `${of('list')}.${this.pick(['first', 'last'])}()`,
        ])();
      default:
        return this.call(kind, depth);
    }
  }

  /** A map of one entry, now and then of another size. */
  private entry(of: (kind: Kind) => string): string {
    if (this.below(5) === 0) return of('map');
    // A map or list as a key is another one each time that cel-go meets it.
    return `{${this.pick(['string', 'int'])}(${of('int')}): ${of('int')}}`;
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
    const kind = this.pick(this.below(5) === 0 ? madeKinds : kinds);
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
      () => this.over(this.pick(quantifiers), 1, depth, () => this.bool(depth)),
      () => this.over(this.pick(quantifiers), 2, depth, () => this.bool(depth)),
      () => `(type(${of(kind)}) == ${of('type')})`,
      () => `(${of(kind)} ${this.pick(['==', '!='])} null)`,
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
        `${this.optionalPath()}.orValue([]).${this.pick(['all', 'exists'])}(${this.loop(['dyn'], () => this.bool(depth))})`,
    ])();
  }

  private sequence(of: (kind: Kind) => string, depth: number): string {
    return this.pick([
      () => `[${of('int')}, ${of('int')}]`,
      () => `[${of('string')}]`,
      () => `[?${of('optional')}]`,
      () => `(${of('list')} + ${of('list')})`,
      () => this.over('map', 1, depth, () => of(this.pick(kinds))),
      () => this.over('map', 1, depth, () => `${this.bool(depth)}, ${of(this.pick(kinds))}`),
      () => this.over('filter', 1, depth, () => this.bool(depth)),
      () => this.over('transformList', 2, depth, () => of(this.pick(kinds))),
      () => this.over('transformList', 2, depth, () => `${this.bool(depth)}, ${of('string')}`),
      () => this.over('sortBy', 1, depth, () => of(this.pick(elementKinds))),
      () => `[${of('list')}, [${of('list')}]].flatten(${this.pick(['0', '1', '2', '-1', of('int')])})`,
      () => `[${of('optional')}, ${of('optional')}].unwrapOpt()`,
      () => `${of('list')}.${this.pick(['reverse', 'distinct', 'sort', 'flatten'])}()`,
      () => `${of('list')}.slice(0, ${of('int')})`,
      () => `${of('string')}.split(${of('string')})`,
      () => `lists.range(${this.below(4)})`,
    ])();
  }

  /** Variables of a loop, and what is evaluated with them in sight. */
  private loop(of: readonly (Kind | 'dyn')[], body: () => string): string {
    const names = of.map(() => `v${this.count++}`);
    for (const [i, name] of names.entries()) this.locals.push({ name, kind: of[i] ?? 'dyn' });
    const inside = body();
    this.locals.length -= of.length;
    return `${names.join(', ')}, ${inside}`;
  }
}

const quantifiers = ['all', 'exists', 'exists_one', 'existsOne'];

/** The type that is told by its kind alone; what is inside of it is any. */
const simpleType = (kind: Kind): CelType => ({ kind: kind as CelType['kind'], name: kind, params: [] });

export function generateQuestions(seed: number, count: number): readonly Question[] {
  const generator = new Generator(seeded(seed));
  return Array.from({ length: count }, () => generator.question());
}
