import { Abnormal, CelError, CelOptional, isPlainMap, none, noSuchOverload, typeNameOf } from '../values/values.ts';
import type { Eval, Frame } from './frame.ts';
import type { Attribute, Plan, Step } from './plan.ts';
import { fieldOf, find, isKey, missing, nativeTypeOf } from './qualify.ts';

/** The closure of an attribute where it stands for itself: what it selects, and 1 for itself. */
export function attributePlan(attribute: Attribute): Plan {
  const resolve = resolver(attribute);
  if (attribute.kind === 'branch') return { eval: resolve, attribute };
  const own = fastPath(attribute);
  if (own) return { eval: own, attribute };
  return {
    eval: (frame) => {
      const value = resolve(frame);
      frame.cost += 1;
      return value;
    },
    attribute,
  };
}

/**
 * `has()`: the test costs as a selection, the attribute itself nothing. As a branch or an index it stands for what the
 * test found, which is an optional on an optional path: so the API server has it.
 */
export function testPlan(attribute: Attribute): Plan {
  const resolve = resolver(attribute);
  const refund = attribute.kind === 'branch' ? 1 : 0;
  return {
    eval: (frame) => {
      const value = resolve(frame);
      frame.cost -= refund;
      return value instanceof CelOptional ? value !== none : value;
    },
    attribute,
  };
}

/** Without the cost of the attribute itself. */
export function resolver(attribute: Attribute): Eval {
  if (attribute.kind === 'branch') return branch(attribute);
  const { base, steps } = attribute;
  if (steps.length === 0) return base;
  if (steps.every(isPlainField))
    return fields(
      base,
      steps.map(({ name }) => name),
    );
  const last = steps.at(-1) as Step;
  if (last.kind === 'test' && steps.slice(0, -1).every(isPlainField)) {
    return test(
      base,
      (steps.slice(0, -1) as PlainField[]).map(({ name }) => name),
      last.name,
    );
  }
  return walk(base, steps);
}

type PlainField = Extract<Step, { kind: 'field' }>;
const isPlainField = (step: Step): step is PlainField =>
  step.kind === 'field' && !step.isOptional && step.name !== '__proto__';

function branch({ condition, yes, no }: Extract<Attribute, { kind: 'branch' }>): Eval {
  const whenTrue = resolver(yes);
  const whenFalse = resolver(no);
  return (frame) => {
    const value = condition(frame);
    if (value === true) return whenTrue(frame);
    if (value === false) return whenFalse(frame);
    return value instanceof Abnormal ? value : noSuchOverload;
  };
}

/** The most common form, fields of fields of a variable, with its cost at once. */
function fastPath({ base, steps }: Extract<Attribute, { kind: 'path' }>): Eval | undefined {
  if (steps.length === 0) {
    return (frame) => {
      const value = base(frame);
      frame.cost += 1;
      return value;
    };
  }
  if (steps.length !== 1 || !isPlainField(steps[0] as Step)) return undefined;
  const { name } = steps[0] as PlainField;
  return (frame) => {
    const object = base(frame);
    frame.cost += 2;
    if (isPlainMap(object)) {
      const value = object[name];
      // A function can only be inherited: no value is one.
      if (value !== undefined && typeof value !== 'function') return value;
    }
    return slowField(frame, object, name, 1);
  };
}

/** A field of what is no plain map, or that a plain map does not have. `refund` is for a base that is no value. */
function slowField(frame: Frame, object: unknown, name: string, refund: number): unknown {
  if (object instanceof CelOptional) {
    if (object === none) {
      frame.cost -= refund;
      return none;
    }
    const value = fieldOf(object.value, name);
    if (value instanceof Abnormal) {
      frame.cost -= refund;
      return value;
    }
    if (value !== undefined) return new CelOptional(value);
    frame.cost -= refund;
    return none;
  }
  if (object instanceof Abnormal) {
    frame.cost -= refund;
    return object;
  }
  const value = fieldOf(object, name);
  return value === undefined ? missing(object, name) : value;
}

function fields(base: Eval, names: readonly string[]): Eval {
  return (frame) => {
    let object = base(frame);
    if (object instanceof Abnormal) return object;
    if (object instanceof CelOptional) return walkFrom(frame, object, asSteps(names));
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const value = isPlainMap(object) ? object[name] : undefined;
      if (value !== undefined && typeof value !== 'function') {
        object = value;
        continue;
      }
      const found = fieldOf(object, name);
      if (found === undefined || found instanceof Abnormal) {
        frame.cost += i + 1;
        return found ?? missing(object, name);
      }
      object = found;
    }
    frame.cost += names.length;
    return object;
  };
}

const asSteps = (names: readonly string[]): readonly Step[] =>
  names.map((name) => ({ kind: 'field', name, isOptional: false }));

function test(base: Eval, names: readonly string[], last: string): Eval {
  const object = names.length === 0 ? base : fields(base, names);
  const steps: readonly Step[] = [{ kind: 'test', name: last }];
  return (frame) => {
    const value = object(frame);
    if (value instanceof Abnormal) return value;
    if (value instanceof CelOptional) return walkFrom(frame, value, steps);
    frame.cost += 1;
    const found = fieldOf(value, last);
    return found instanceof CelError ? found : found !== undefined;
  };
}

function walk(base: Eval, steps: readonly Step[]): Eval {
  return (frame) => {
    const object = base(frame);
    return object instanceof Abnormal ? object : walkFrom(frame, object, steps);
  };
}

/** Every kind of step. After the first optional one, or from an optional on, all that is missing makes none. */
function walkFrom(frame: Frame, start: unknown, steps: readonly Step[]): unknown {
  let isOptional = start instanceof CelOptional;
  if (start === none) return none;
  let object = start instanceof CelOptional ? start.value : start;
  for (const step of steps) {
    isOptional ||= step.kind !== 'test' && step.isOptional;
    const key = step.kind === 'index' ? keyOf(step.index(frame)) : step.kind === 'key' ? step.key : step.name;
    const value = key instanceof Abnormal ? key : find(object, key);
    if (value instanceof Abnormal) {
      if (!isOptional) frame.cost += 1;
      return value;
    }
    if (step.kind === 'test' && !isOptional) {
      frame.cost += 1;
      return value !== undefined;
    }
    if (value === undefined && isOptional) return none;
    frame.cost += 1;
    if (value === undefined) return missing(object, key);
    object = value;
  }
  return isOptional ? new CelOptional(object) : object;
}

function keyOf(value: unknown): unknown {
  return isKey(value) ? value : new CelError(`invalid qualifier type: ${nativeTypeOf(typeNameOf(value))}`);
}

/** `path.orValue(other)` for a path of fields some of which are optional: the same without making an optional. */
export function orValuePath({ attribute }: Plan, other: Eval): Eval | undefined {
  if (attribute?.kind !== 'path') return undefined;
  const { base, steps } = attribute;
  const first = steps.findIndex((step) => step.kind === 'field' && step.isOptional);
  if (first < 0 || !steps.every(isNamed)) return undefined;
  const names = steps.map((step) => (step as PlainField).name);
  return (frame) => {
    let object = base(frame);
    if (!isPlainMap(object)) {
      const found = object instanceof Abnormal ? object : walkFrom(frame, object, steps);
      return unwrapped(frame, found, other);
    }
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const value = isPlainMap(object) ? object[name] : undefined;
      if (value !== undefined && typeof value !== 'function') {
        object = value;
        continue;
      }
      const found = fieldOf(object, name);
      if (found instanceof Abnormal || (found === undefined && i < first)) {
        frame.cost += i < first ? i + 2 : i + 1;
        return found ?? missing(object, name);
      }
      if (found === undefined) {
        frame.cost += i + 1;
        return other(frame);
      }
      object = found;
    }
    frame.cost += names.length + 1;
    return object;
  };
}

const isNamed = (step: Step): boolean => step.kind === 'field' && step.name !== '__proto__';

function unwrapped(frame: Frame, value: unknown, other: Eval): unknown {
  frame.cost += 1;
  if (value === none) return other(frame);
  return value instanceof CelOptional ? value.value : value instanceof Abnormal ? value : noSuchOverload;
}
