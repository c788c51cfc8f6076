import type { Run } from '../run.ts';
import { isNumber, isObject, Reference } from '../values.ts';

export type ArgumentType =
  | 'any'
  | 'number'
  | 'string'
  | 'array'
  | 'object'
  | 'array[number]'
  | 'array[string]'
  | 'expression';

export interface FunctionSpec {
  readonly name: string;
  /** The types each argument may have; the caller has checked them before `call`. */
  readonly parameters: readonly (readonly ArgumentType[])[];
  /** How many of the last parameters may be left out; none by default. */
  readonly optional?: number;
  /** The types of any further arguments. */
  readonly variadic?: readonly ArgumentType[];
  /** Throws CallFailure for what it refuses; never changes its arguments. */
  readonly call: (args: readonly unknown[], run: Run) => unknown;
}

/** `'string|number'` for each parameter, `'number?'` for one that may be left out, and the function itself. */
export function define(
  name: string,
  parameters: readonly string[],
  call: (run: Run, ...args: never[]) => unknown,
): FunctionSpec {
  const typed = call as Typed;
  const optional = parameters.filter((types) => types.endsWith('?')).length;
  return {
    name,
    parameters: parameters.map((types) => types.replace(/\?$/, '').split('|') as ArgumentType[]),
    ...(optional === 0 ? {} : { optional }),
    // Spreading costs more than most of the functions do.
    call: spread[parameters.length]?.(typed) ?? ((args, run) => typed(run, ...args)),
  };
}

type Typed = (run: Run, ...args: unknown[]) => unknown;
const spread: readonly (((typed: Typed) => FunctionSpec['call']) | undefined)[] = [
  undefined,
  (typed) => (args, run) => typed(run, args[0]),
  (typed) => (args, run) => typed(run, args[0], args[1]),
];

/** A test for any of the types; undefined where every value passes. */
export function testFor(types: readonly ArgumentType[]): ((value: unknown) => boolean) | undefined {
  if (types.includes('any')) return undefined;
  const tests = types.map((type) => is[type]);
  const [only] = tests;
  return tests.length === 1 ? only : (value) => tests.some((test) => test(value));
}

const is: Record<ArgumentType, (value: unknown) => boolean> = {
  any: () => true,
  number: isNumber,
  string: (value) => typeof value === 'string',
  array: Array.isArray,
  object: isObject,
  'array[number]': (value) => Array.isArray(value) && value.every(isNumber),
  'array[string]': (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  expression: (value) => value instanceof Reference,
};
