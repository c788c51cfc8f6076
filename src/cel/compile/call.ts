import type { CallCost, FunctionDecl, Overload } from '../environment.ts';
import type { CelType } from '../types.ts';
import { findKey, isMap, mapKeys } from '../values/map.ts';
import {
  Abnormal,
  CelBytes,
  CelDuration,
  CelError,
  CelTimestamp,
  isDouble,
  isInt,
  noOverload,
  noSuchOverload,
  typeNameOf,
} from '../values/values.ts';
import type { Eval } from './frame.ts';
import { abnormalOf } from './logic.ts';
import type { Plan } from './plan.ts';

type Call = (...args: unknown[]) => unknown;

/** The call of a function with values for arguments; errors and unknowns among them are passed on before. */
export function compileCall(call: Call, cost: CallCost | undefined, plans: readonly Plan[]): Eval {
  const args = plans.map((plan) => plan.eval);
  if (args.length === 1) return unary(call, cost, args[0] as Eval);
  if (args.length === 2) {
    const constant = cost?.usesResult ? undefined : plans[1]?.constant;
    if (constant && !(constant.value instanceof Abnormal))
      return withConstant(call, cost, args[0] as Eval, constant.value);
    return binary(call, cost, args[0] as Eval, args[1] as Eval);
  }
  return (frame) => {
    const values: unknown[] = [];
    let unknown: Abnormal | undefined;
    for (const [i, arg] of args.entries()) {
      const value = arg(frame);
      if (value instanceof Abnormal) {
        if (value instanceof CelError) {
          // Cost is only counted for a call whose arguments have all been evaluated.
          if (i === args.length - 1) frame.charge(cost ? cost(values[0], values[1], value) : 1);
          return value;
        }
        unknown = abnormalOf(unknown, value);
      }
      values.push(value);
    }
    if (unknown) return unknown;
    if (!cost?.usesResult) frame.charge(cost ? cost(values[0], values[1], undefined) : 1);
    const result = call(...values);
    if (cost?.usesResult) frame.charge(cost(values[0], values[1], result));
    return result;
  };
}

function unary(call: Call, cost: CallCost | undefined, arg: Eval): Eval {
  const usesResult = cost?.usesResult ?? false;
  return (frame) => {
    const value = arg(frame);
    if (value instanceof Abnormal) {
      frame.charge(cost ? cost(value, undefined, value) : 1);
      return value;
    }
    if (!usesResult) frame.charge(cost ? cost(value, undefined, undefined) : 1);
    const result = call(value);
    if (usesResult && cost) frame.charge(cost(value, undefined, result));
    return result;
  };
}

function binary(call: Call, cost: CallCost | undefined, left: Eval, right: Eval): Eval {
  const usesResult = cost?.usesResult ?? false;
  return (frame) => {
    const a = left(frame);
    if (a instanceof CelError) return a;
    const b = right(frame);
    if (a instanceof Abnormal || b instanceof Abnormal) {
      frame.charge(cost ? cost(a, b, b) : 1);
      return abnormalOf(a, b);
    }
    if (!usesResult) frame.charge(cost ? cost(a, b, undefined) : 1);
    const result = call(a, b);
    if (usesResult && cost) frame.charge(cost(a, b, result));
    return result;
  };
}

/** A call whose second argument is a literal. */
function withConstant(call: Call, cost: CallCost | undefined, left: Eval, b: unknown): Eval {
  const units = cost ? (cost.withSecond?.(b) ?? ((a: unknown) => cost(a, b, undefined))) : 1;
  const fixed = typeof units === 'number' ? units : undefined;
  const unitsOf = typeof units === 'number' ? () => units : units;
  return (frame) => {
    const a = left(frame);
    if (a instanceof CelError) return a;
    frame.charge(fixed ?? unitsOf(a));
    return a instanceof Abnormal ? a : call(a, b);
  };
}

/** The function for one call: the one implementation, the form that was found, or the form that fits when called. */
export function implementation(declaration: FunctionDecl, overloads: readonly Overload[]): Call {
  const { name, singleton, accepts } = declaration;
  if (singleton) {
    if (!accepts) return singleton;
    const refused = new CelError(`no such overload: ${name}`);
    // All of them have one or two arguments.
    return (a, b) => (accepts(a) ? singleton(a, b) : isReceiver(a) ? noSuchOverload : refused);
  }
  const forms = (overloads.length === 1 ? overloads : declaration.overloads).map(({ args, call }) => ({
    arity: args.length,
    guards: args.map(guardFor),
    call: call as unknown as Call,
  }));
  const [only] = forms;
  if (forms.length === 1 && only) return guarded(name, only.guards, only.call);
  return (...args) => {
    for (const { arity, guards, call } of forms) {
      if (arity === args.length && guards.every((guard, i) => guard?.(args[i]) ?? true)) return call(...args);
    }
    return noOverload(name, ...args);
  };
}

/** Types that functions can be called on in the reference implementation: they refuse without telling the name. */
const isReceiver = (value: unknown) =>
  typeof value === 'string' || value instanceof CelDuration || value instanceof CelTimestamp;

type Guard = (value: unknown) => boolean;

function guarded(name: string, guards: readonly (Guard | undefined)[], call: Call): Call {
  const [first, second] = guards;
  if (guards.length === 1) return (a) => (first && !first(a) ? noOverload(name, a) : call(a));
  if (guards.length === 2) {
    return (a, b) => ((first && !first(a)) || (second && !second(b)) ? noOverload(name, a, b) : call(a, b));
  }
  return (...args) =>
    guards.every((guard, i) => guard?.(args[i]) ?? true) ? call(...args) : noOverload(name, ...args);
}

/** Whether a value is of a type; of lists and maps the first element tells. Undefined when every value is. */
function guardFor(type: CelType): Guard | undefined {
  switch (type.kind) {
    case 'dyn':
    case 'param':
    case 'error':
      return undefined;
    case 'string':
      return (value) => typeof value === 'string';
    case 'bool':
      return (value) => typeof value === 'boolean';
    case 'int':
      return isInt;
    case 'double':
      return isDouble;
    case 'bytes':
      return (value) => value instanceof CelBytes;
    case 'null':
      return (value) => value === null;
    case 'list':
      return listGuard(guardFor(type.params[0] as CelType));
    case 'map':
      return mapGuard(guardFor(type.params[0] as CelType), guardFor(type.params[1] as CelType));
    default:
      return (value) => typeNameOf(value) === type.name;
  }
}

const listGuard =
  (element: Guard | undefined): Guard =>
  (value) =>
    Array.isArray(value) && (value.length === 0 || !element || element(value[0]));

function mapGuard(key: Guard | undefined, element: Guard | undefined): Guard {
  return (value) => {
    if (!isMap(value)) return false;
    if (!key && !element) return true;
    const [first] = mapKeys(value);
    return first === undefined || ((key?.(first) ?? true) && (element?.(findKey(value, first)) ?? true));
  };
}
