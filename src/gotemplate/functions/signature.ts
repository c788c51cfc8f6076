import type { Run } from '../run.ts';
import { elementType, isDict, typeName, type Value } from '../values.ts';

/** The types that parameters have, named as Go prints them; `reflect.Value` takes what `interface {}` takes. */
export type ParameterType =
  | 'interface {}'
  | 'reflect.Value'
  | 'string'
  | 'int'
  | 'int64'
  | 'uint32'
  | 'float64'
  | 'bool'
  | 'map[string]interface {}'
  | 'time.Time';

export interface FunctionSpec {
  readonly name: string;
  readonly parameters: readonly ParameterType[];
  /** The type of any further arguments. */
  readonly variadic: ParameterType | undefined;
  readonly call: (args: readonly Value[], run: Run) => Value;
}

const shortNames: Readonly<Record<string, ParameterType>> = {
  any: 'interface {}',
  value: 'reflect.Value',
  dict: 'map[string]interface {}',
  time: 'time.Time',
};

export type FunctionTable = ReadonlyMap<string, FunctionSpec>;

type Pure = (...args: never[]) => Value;
type Running = (run: Run, ...args: never[]) => Value;

/** Functions by name and parameters: `'repeat(int, string)'`; `...any` last takes any number of arguments. */
export function define(functions: Readonly<Record<string, Pure>>): readonly FunctionSpec[] {
  return Object.entries(functions).map(([declaration, work]) => {
    const call = work as (...args: Value[]) => Value;
    return { ...parseDeclaration(declaration), call: (args: readonly Value[]) => call(...args) };
  });
}

/** The same for functions that need to know the rendering: for the clock, or because what they make can be large. */
export function defineRunning(functions: Readonly<Record<string, Running>>): readonly FunctionSpec[] {
  return Object.entries(functions).map(([declaration, work]) => {
    const call = work as (run: Run, ...args: Value[]) => Value;
    const invoke = (args: readonly Value[], run: Run) => call(run, ...args);
    return { ...parseDeclaration(declaration), call: invoke };
  });
}

function parseDeclaration(declaration: string): Omit<FunctionSpec, 'call'> {
  const [, name, list] = /^(\w+)\((.*)\)$/.exec(declaration) as unknown as [string, string, string];
  const types = list === '' ? [] : list.split(', ');
  const last = types.at(-1);
  const variadic = last?.startsWith('...') ? parameterType(last.slice(3)) : undefined;
  return { name, parameters: (variadic ? types.slice(0, -1) : types).map(parameterType), variadic };
}

const parameterType = (name: string): ParameterType => shortNames[name] ?? (name as ParameterType);

/** Fails unless the value can be passed as a parameter of the type, with Go's words. */
export function checkType(run: Run, value: Value, type: string): void {
  switch (type) {
    case 'interface {}':
    case 'reflect.Value':
      return;
    case 'string':
      if (typeof value === 'string') return;
      break;
    case 'int':
      if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) return;
      break;
    case 'map[string]interface {}':
      if (value === undefined || (isDict(value) && elementType(value) === 'interface {}')) return;
      break;
    default:
      if (value !== undefined && typeName(value) === type) return;
  }
  if (value === undefined) run.fail(`invalid value; expected ${type}`);
  run.fail(`wrong type for value; expected ${type}; got ${value === null ? 'interface {}' : typeName(value)}`);
}

export const canBeNil = (type: ParameterType): boolean =>
  type === 'interface {}' || type === 'reflect.Value' || type === 'map[string]interface {}';
