import { Abnormal, CelError, CelOptional, none, typeNameOf } from '../values/values.ts';
import type { Frame } from './frame.ts';
import type { Step } from './plan.ts';
import { find, isKey, missing, nativeTypeOf } from './qualify.ts';

/** Every kind of step. After the first optional one, or from an optional on, all that is missing makes none. */
export function walkFrom(frame: Frame, start: unknown, steps: readonly Step[]): unknown {
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
