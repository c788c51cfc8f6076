import { Abnormal, CelError, CelOptional, isPlainMap, none, noSuchOverload } from '../values/values.ts';
import { type Eval, type Frame, readPlace } from './frame.ts';
import { type FieldStep, isAbsent, isField, OptionalPath } from './path.ts';
import type { Attribute, Plan, Step } from './plan.ts';
import { fieldOf, missing } from './qualify.ts';
import { walkFrom } from './walk.ts';

/** The closure of an attribute where it stands for itself: what it selects, and 1 for itself. */
export function attributePlan(attribute: Attribute): Plan {
  if (attribute.kind === 'branch') return { eval: resolver(attribute), attribute };
  const own = plainPath(attribute) ?? optionalPath(attribute);
  if (own) return { eval: own, attribute };
  const resolve = resolver(attribute);
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
  const { base, place, steps } = attribute;
  if (steps.length === 0) return base;
  if (steps.every(isPlainField)) return fields(attribute, 0);
  const last = steps.at(-1) as Step;
  const before = steps.slice(0, -1);
  if (last.kind === 'test' && before.every(isPlainField)) {
    return test(before.length === 0 ? base : fields({ kind: 'path', base, place, steps: before }, 0), last.name);
  }
  return (frame) => {
    const object = base(frame);
    return object instanceof Abnormal ? object : walkFrom(frame, object, steps);
  };
}

const isPlainField = (step: Step): step is FieldStep => isField(step) && !step.isOptional;

type Path = Extract<Attribute, { kind: 'path' }>;

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
function plainPath(path: Path): Eval | undefined {
  const { base, place, steps } = path;
  if (steps.length === 0) {
    return (frame) => {
      const value = readPlace(frame, place) ?? base(frame);
      frame.cost += 1;
      return value;
    };
  }
  return steps.every(isPlainField) ? fields(path, 1) : undefined;
}

/** `own`: the cost of the attribute itself. */
function fields({ base, place, steps }: Path, own: number): Eval {
  const names = (steps as readonly FieldStep[]).map(({ name }) => name);
  const all = names.length + own;
  return (frame) => {
    let object = readPlace(frame, place) ?? base(frame);
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      if (!isPlainMap(object)) return otherFields(frame, object, i);
      const value = object[name];
      // Whoever has no such field may inherit one: a function, which no value is.
      if (value === undefined || typeof value === 'function') {
        frame.cost += i + 1 + own;
        return missing(object, name);
      }
      object = value;
    }
    frame.cost += all;
    return object;
  };

  /** From a step on whose object is no plain map. */
  function otherFields(frame: Frame, from: unknown, start: number): unknown {
    frame.cost += own;
    if (start === 0 && from instanceof Abnormal) return from;
    if (start === 0 && from instanceof CelOptional) return walkFrom(frame, from, steps);
    let object = from;
    for (let i = start; i < names.length; i++) {
      const found = fieldOf(object, names[i] as string);
      if (found === undefined || found instanceof Abnormal) {
        frame.cost += i + 1;
        return found ?? missing(object, names[i]);
      }
      object = found;
    }
    frame.cost += names.length;
    return object;
  }
}

function optionalPath(attribute: Path): Eval | undefined {
  const path = OptionalPath.of(attribute);
  return (
    path &&
    ((frame) => {
      const value = path.read(frame);
      if (isAbsent(value)) return none;
      return value instanceof Abnormal ? value : new CelOptional(value);
    })
  );
}

function test(object: Eval, last: string): Eval {
  const steps: readonly Step[] = [{ kind: 'test', name: last }];
  const isInherited = last === '__proto__';
  return (frame) => {
    const value = object(frame);
    if (!isInherited && isPlainMap(value)) {
      frame.cost += 1;
      const field = value[last];
      return field !== undefined && typeof field !== 'function';
    }
    if (value instanceof Abnormal) return value;
    if (value instanceof CelOptional) return walkFrom(frame, value, steps);
    frame.cost += 1;
    const found = fieldOf(value, last);
    return found instanceof CelError ? found : found !== undefined;
  };
}
