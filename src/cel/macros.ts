import { accumulatorName, type ComprehensionForm, type Node, operators } from './ast.ts';
import type { NodeFactory } from './factory.ts';
import { isNumeric } from './values/numbers.ts';

/** What a macro makes of its call, or the mistake in it. `at` is where the call's own mistakes are told. */
type Expansion = Node | { readonly error: string; readonly offset: number };

interface MacroCall {
  readonly make: NodeFactory;
  readonly at: number;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
}

type Macro = (call: MacroCall) => Expansion;

/** Macros by `name/arguments`, those of receivers with a dot before. */
export type Macros = ReadonlyMap<string, Macro>;

export const macroKey = (name: string, args: number, isMember: boolean) => `${isMember ? '.' : ''}${name}/${args}`;

const has: Macro = ({ make, at, args: [argument] }) =>
  argument?.kind === 'select'
    ? make.select(at, argument.operand, argument.field, true)
    : { error: 'invalid argument to has() macro', offset: argument?.offset ?? at };

interface Loop {
  readonly variable: string;
  readonly variable2: string | undefined;
}

/** The variables of a loop: one, or two that differ. */
function loopOf({ args }: MacroCall, count: 1 | 2, wording: string): Loop | { error: string; offset: number } {
  const names: string[] = [];
  for (const node of args.slice(0, count)) {
    if (node.kind !== 'ident') return { error: wording, offset: node.offset };
    names.push(node.name);
  }
  const [variable = '', variable2] = names;
  if (variable === variable2) {
    return { error: `duplicate variable name: ${variable}`, offset: args[1]?.offset ?? 0 };
  }
  for (const [i, name] of names.entries()) {
    if (name === accumulatorName || name === '__result__') {
      return { error: 'iteration variable overwrites accumulator variable', offset: args[i]?.offset ?? 0 };
    }
  }
  return { variable, variable2 };
}

const simpleName = 'argument must be a simple name';
const identifier = 'argument is not an identifier';

type Quantifier = 'all' | 'exists' | 'one';

function quantifier(kind: Quantifier, count: 1 | 2): Macro {
  return (call) => {
    const loop = loopOf(call, count, simpleName);
    if ('error' in loop) return loop;
    const { make, at, target, args } = call;
    const predicate = args[count] as Node;
    const accumulator = () => make.accumulator(at);
    const base = { ...loop, range: target as Node, accumulator: accumulatorName };
    if (kind === 'one') {
      const next = make.call(at, operators.add, [accumulator(), make.literal(at, 1)]);
      return make.comprehension(at, {
        ...base,
        init: make.literal(at, 0),
        condition: make.literal(at, true),
        step: make.call(at, operators.conditional, [predicate, next, accumulator()]),
        result: make.call(at, operators.equals, [accumulator(), make.literal(at, 1)]),
        form: { kind, predicate },
      });
    }
    const isAll = kind === 'all';
    const open = isAll ? accumulator() : make.call(at, operators.not, [accumulator()]);
    return make.comprehension(at, {
      ...base,
      init: make.literal(at, isAll),
      condition: make.call(at, operators.notStrictlyFalse, [open]),
      step: make.call(at, isAll ? operators.and : operators.or, [accumulator(), predicate]),
      result: accumulator(),
      form: { kind, predicate },
    });
  };
}

/** Builds a list or a map: `step` adds to what there is, under the condition of a filter if there is one. */
function builder(
  count: 1 | 2,
  options: { readonly isMap?: boolean; readonly isFiltered: boolean; readonly wording: string },
  step: (call: MacroCall, loop: Loop, last: Node) => Step,
): Macro {
  return (call) => {
    const loop = loopOf(call, count, options.wording);
    if ('error' in loop) return loop;
    const { make, at, target, args } = call;
    const { added, form } = step(call, loop, args.at(-1) as Node);
    const filter = options.isFiltered ? (args[count] as Node) : undefined;
    return make.comprehension(at, {
      ...loop,
      range: target as Node,
      accumulator: accumulatorName,
      init: options.isMap ? make.map(at) : make.list(at),
      condition: make.literal(at, true),
      step: filter ? make.call(at, operators.conditional, [filter, added, make.accumulator(at)]) : added,
      result: make.accumulator(at),
      form: { ...form, filter },
    });
  };
}

/** What a step adds, as a tree to check and as what is meant. */
interface Step {
  readonly added: Node;
  readonly form: Extract<ComprehensionForm, { kind: 'append' | 'insert' }>;
}

const append = ({ make, at }: MacroCall, _: Loop, item: Node): Step => ({
  added: make.call(at, operators.add, [make.accumulator(at), make.list(at, [item])]),
  form: { kind: 'append', filter: undefined, item },
});

const appendVariable = (call: MacroCall, loop: Loop) => append(call, loop, call.args[0] as Node);

const insert = ({ make, at }: MacroCall, { variable }: Loop, item: Node): Step => {
  const key = make.ident(at, variable);
  return {
    added: make.call(at, 'cel.@mapInsert', [make.accumulator(at), key, item]),
    form: { kind: 'insert', filter: undefined, key, item },
  };
};

const insertEntry = ({ make, at }: MacroCall, _: Loop, item: Node): Step => ({
  added: make.call(at, 'cel.@mapInsert', [make.accumulator(at), item]),
  form: { kind: 'insert', filter: undefined, key: undefined, item },
});

/** A variable for one expression: a loop over nothing whose accumulator is the variable. */
function bind(make: NodeFactory, at: number, variable: string, value: Node, result: Node): Node {
  return make.comprehension(at, {
    range: make.list(at),
    variable: '#unused',
    variable2: undefined,
    accumulator: variable,
    init: value,
    condition: make.literal(at, false),
    step: make.ident(at, variable),
    result,
    form: { kind: 'bind' },
  });
}

function optionalMap(name: string, isFlat: boolean): Macro {
  return ({ make, at, target, args: [variable, body] }) => {
    if (variable?.kind !== 'ident') {
      return { error: `${name}() variable name must be a simple identifier`, offset: variable?.offset ?? at };
    }
    const receiver = target as Node;
    const value = make.call(at, 'value', [], make.copy(receiver));
    const bound = bind(make, at, variable.name, value, body as Node);
    return make.call(at, operators.conditional, [
      make.call(at, 'hasValue', [], receiver),
      isFlat ? bound : make.call(at, 'optional.of', [bound]),
      make.call(at, 'optional.none', []),
    ]);
  };
}

const sortBy: Macro = (call) => {
  const { make, at, target } = call;
  const input = '@__sortBy_input__';
  const allowed = ['list', 'select', 'ident', 'comprehension', 'call'];
  if (!allowed.includes(target?.kind ?? '')) {
    const error = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    return { error, offset: target?.offset ?? at };
  }
  const keys = mapMacro({ ...call, target: make.ident(at, input) });
  if ('error' in keys) return keys;
  const sorted = make.call(at, '@sortByAssociatedKeys', [keys], make.ident(at, input));
  return bind(make, at, input, target as Node, sorted);
};

const mapMacro = builder(1, { isFiltered: false, wording: identifier }, append);

const standard: readonly (readonly [string, Macro])[] = [
  ['has/1', has],
  ['.all/2', quantifier('all', 1)],
  ['.exists/2', quantifier('exists', 1)],
  ['.exists_one/2', quantifier('one', 1)],
  ['.map/2', mapMacro],
  ['.map/3', builder(1, { isFiltered: true, wording: identifier }, append)],
  ['.filter/2', builder(1, { isFiltered: true, wording: identifier }, appendVariable)],
  ['.optMap/2', optionalMap('optMap', false)],
  ['.optFlatMap/2', optionalMap('optFlatMap', true)],
  ['.sortBy/2', sortBy],
];

const twoVariables: readonly (readonly [string, Macro])[] = [
  ['.all/3', quantifier('all', 2)],
  ['.exists/3', quantifier('exists', 2)],
  ['.existsOne/3', quantifier('one', 2)],
  ['.exists_one/3', quantifier('one', 2)],
  ...([false, true] as const).flatMap((isFiltered) => {
    const arity = isFiltered ? 4 : 3;
    const list = { isFiltered, wording: simpleName };
    const map = { ...list, isMap: true };
    return [
      [`.transformList/${arity}`, builder(2, list, append)],
      [`.transformMap/${arity}`, builder(2, map, insert)],
      [`.transformMapEntry/${arity}`, builder(2, map, insertEntry)],
    ] as [string, Macro][];
  }),
];

/** `cel.bind(variable, value, expression)`. */
const bindMacro: Macro = ({ make, at, target, args: [variable, value, body] }) => {
  if (target?.kind !== 'ident' || target.name !== 'cel')
    return make.call(at, 'bind', [variable as Node, value as Node, body as Node], target);
  if (variable?.kind !== 'ident') {
    return { error: 'cel.bind() variable names must be simple identifiers', offset: variable?.offset ?? at };
  }
  return bind(make, at, variable.name, value as Node, body as Node);
};

const mayBeNumber = (node: Node) =>
  node.kind === 'literal'
    ? node.value === undefined || isNumeric(node.value)
    : !['list', 'map', 'struct'].includes(node.kind);

const isListOfNumbers = (node: Node) =>
  node.kind === 'list' && node.items.length > 0 && node.items.every(({ value }) => mayBeNumber(value));

/** `math.least` and `math.greatest` of any number of arguments. */
function extremeMacro(name: string, target: string): Macro {
  return ({ make, at, target: receiver, args }) => {
    if (receiver?.kind !== 'ident' || receiver.name !== 'math') return make.call(at, name, args, receiver);
    const [first] = args;
    if (!first) return { error: `math.${name}() requires at least one argument`, offset: receiver.offset };
    if (args.length === 1 && !mayBeNumber(first) && !isListOfNumbers(first))
      return { error: `math.${name}() invalid single argument value`, offset: first.offset };
    const wrong = args.length === 1 ? undefined : args.find((arg) => !mayBeNumber(arg));
    if (wrong) return { error: `math.${name}() simple literal arguments must be numeric`, offset: wrong.offset };
    return make.call(at, target, args.length > 2 ? [make.list(at, args)] : args);
  };
}

const maxMacroArguments = 16;
const extremeMacros = (
  [
    ['least', 'math.@min'],
    ['greatest', 'math.@max'],
  ] as const
).flatMap(([name, target]) =>
  Array.from(
    { length: maxMacroArguments + 1 },
    (_, count) => [`.${name}/${count}`, extremeMacro(name, target)] as const,
  ),
);

export const lenientOrValue = '__orValueCompat__';

/** `orValue` as a function that also takes what is no optional. */
const orValueMacro: Macro = ({ make, at, target, args: [value] }) =>
  make.call(at, lenientOrValue, [target as Node, value as Node]);

/** The function needs what only a library has. */
const randomMacro: Macro = ({ make, at, args }) => make.call(at, 'random', args, make.ident(at, 'random'));

interface MacroOptions {
  readonly twoVariables: boolean;
  readonly bind: boolean;
  readonly math: boolean;
  /** Kyverno's `orValue`, which passes a receiver on that is no optional. */
  readonly lenientOrValue: boolean;
  /** `random()` as a function of the library of that name. */
  readonly random?: boolean;
}

export function macrosFor(options: MacroOptions): Macros {
  return new Map([
    ...standard,
    ...(options.twoVariables ? twoVariables : []),
    ...(options.bind ? ([['.bind/3', bindMacro]] as const) : []),
    ...(options.math ? extremeMacros : []),
    ...(options.random
      ? ([
          ['random/0', randomMacro],
          ['random/1', randomMacro],
        ] as const)
      : []),
    ...(options.lenientOrValue ? ([['.orValue/1', orValueMacro]] as const) : []),
  ]);
}
