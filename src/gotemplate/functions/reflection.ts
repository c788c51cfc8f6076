import { isTrue, kindOf, typeName, type Value } from '../values.ts';
import { deepEqual } from './deep-equal.ts';
import { define, defineRunning, type FunctionSpec } from './signature.ts';

export const reflectionFunctions: readonly FunctionSpec[] = [
  ...defineRunning({ 'deepEqual(any, any)': (run, a: Value, b: Value) => deepEqual(run, a, b) }),
  ...define({
    'typeOf(any)': typeName,
    'typeIs(string, any)': (type: string, value: Value) => typeName(value) === type,
    'typeIsLike(string, any)': (type: string, value: Value) =>
      typeName(value) === type || typeName(value) === `*${type}`,
    'kindOf(any)': kindOf,
    'kindIs(string, any)': (kind: string, value: Value) => kindOf(value) === kind,
    'empty(any)': (value: Value) => !isTrue(value),
    'default(any, ...any)': (fallback: Value, ...given: Value[]) => (isTrue(given[0]) ? given[0] : fallback),
    'ternary(any, any, bool)': (yes: Value, no: Value, condition: boolean) => (condition ? yes : no),
  }),
];
