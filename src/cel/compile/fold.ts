import { spendEffort } from '../values/effort.ts';
import { type AnyMap, findKey, isMap, MapBuilder, mapKeys } from '../values/map.ts';
import { renderGo } from '../values/render.ts';
import { Abnormal, CelError, CelOpaque, CelUnknown, noOverload, noSuchOverload, typeNameOf } from '../values/values.ts';
import type { Eval, Frame } from './frame.ts';
import { combine } from './logic.ts';
import type { Plan } from './plan.ts';
import { goTypeOf } from './qualify.ts';

/** Where a loop keeps its variables, and what is evaluated in it. */
export interface Loop {
  readonly range: Eval;
  readonly slot: number;
  /** Undefined for loops with one variable. */
  readonly slot2: number | undefined;
}

/** Visits each element until `visit` answers false; an error for what cannot be visited. */
type Visit = (frame: Frame) => boolean;

function iterate(frame: Frame, { range, slot, slot2 }: Loop, visit: Visit): Abnormal | undefined {
  const values = range(frame);
  if (values instanceof Abnormal) return values;
  const { slots } = frame;
  if (Array.isArray(values)) {
    for (let i = 0; i < values.length; i++) {
      if (slot2 === undefined) slots[slot] = values[i];
      else {
        slots[slot] = i;
        slots[slot2] = values[i];
      }
      if (!visit(frame)) break;
      if (!(frame.cost <= frame.limit)) frame.charge(0);
    }
    return undefined;
  }
  if (!isMap(values)) return notIterable(values, slot2 !== undefined);
  return iterateMap(frame, values, slot, slot2, visit);
}

function iterateMap(frame: Frame, map: AnyMap, slot: number, slot2: number | undefined, visit: Visit) {
  for (const key of mapKeys(map)) {
    frame.slots[slot] = key;
    if (slot2 !== undefined) frame.slots[slot2] = findKey(map, key);
    if (!visit(frame)) break;
    if (!(frame.cost <= frame.limit)) frame.charge(0);
  }
  return undefined;
}

function notIterable(value: unknown, isTwo: boolean): CelError {
  const name = goTypeOf(typeNameOf(value));
  const type = value instanceof CelOpaque && value.isPointer ? `*${name}` : name;
  return new CelError(
    isTwo ? `unsupported comprehension range type: ${type}` : `got '${type}', expected iterable type`,
  );
}

/** `all` stops at false, `exists` at true; what decides wins over errors before and after. */
export function compileQuantifier(loop: Loop, predicate: Eval, decisive: boolean): Eval {
  const other = !decisive;
  // The condition looks at the result so far: its name, the test, and a negation for `exists`.
  const conditionCost = decisive ? 3 : 2;
  const { range, slot, slot2 } = loop;
  const general = (frame: Frame, values: unknown): unknown => {
    let result: unknown = other;
    const failed = iterate(frame, { ...loop, range: () => values }, (inside) => {
      inside.cost += conditionCost;
      if (result === decisive) return false;
      inside.cost += 1;
      const value = predicate(inside);
      if (value === decisive) result = decisive;
      else if (value !== other || result !== other) result = combine(result, value);
      return true;
    });
    if (failed) return failed;
    frame.cost += 1;
    return result;
  };
  if (slot2 !== undefined) return (frame) => general(frame, range(frame));
  // The same for a list, which almost every range is, without a call for each element.
  return (frame) => {
    const values = range(frame);
    if (!Array.isArray(values)) return general(frame, values);
    const { slots } = frame;
    let result: unknown = other;
    for (let i = 0; i < values.length; i++) {
      slots[slot] = values[i];
      frame.charge(conditionCost);
      frame.cost += 1;
      const value = predicate(frame);
      if (decisive ? value === true : value === false) {
        // The condition is looked at once more, unless that was the last.
        if (i + 1 < values.length) {
          slots[slot] = values[i + 1];
          frame.charge(conditionCost);
        }
        result = decisive;
        break;
      }
      if (typeof value !== 'boolean' || typeof result !== 'boolean') result = combine(result, value);
    }
    frame.cost += 1;
    return result;
  };
}

export function compileExistsOne(loop: Loop, predicate: Eval): Eval {
  return (frame) => {
    let count = 0;
    let abnormal: Abnormal | undefined;
    const failed = iterate(frame, loop, (inside) => {
      const value = predicate(inside);
      if (value === true) {
        inside.cost += abnormal ? 1 : 2;
        count++;
      } else if (value !== false) abnormal = value instanceof Abnormal ? value : noSuchOverload;
      return true;
    });
    if (failed) return failed;
    frame.cost += abnormal ? 1 : 2;
    return abnormal ?? count === 1;
  };
}

/** `map`, `filter` and `transformList`. */
export function compileAppend(loop: Loop, filter: Eval | undefined, item: Plan): Eval {
  const evaluate = item.eval;
  const listCost = item.constant ? 0 : 10;
  return (frame) => {
    const list: unknown[] = [];
    let abnormal: Abnormal | undefined;
    const failed = iterate(frame, loop, (inside) => {
      if (filter) {
        const kept = filter(inside);
        if (kept === false) return true;
        if (kept !== true) {
          abnormal = kept instanceof Abnormal ? kept : noSuchOverload;
          return true;
        }
      }
      inside.cost += 1;
      if (abnormal instanceof CelError) return true;
      const value = item.constant ? item.constant.value : evaluate(inside);
      inside.cost += listCost + 1;
      if (value instanceof Abnormal) abnormal = mergeAbnormal(abnormal, value);
      else if (!abnormal) list.push(value);
      return true;
    });
    if (failed) return failed;
    frame.cost += 1;
    return abnormal ?? list;
  };
}

/** `transformMap` and `transformMapEntry`. */
export function compileInsert(loop: Loop, filter: Eval | undefined, key: Eval | undefined, item: Eval): Eval {
  return (frame) => {
    const builder = new MapBuilder();
    let abnormal: Abnormal | undefined;
    const failed = iterate(frame, loop, (inside) => {
      if (filter) {
        const kept = filter(inside);
        if (kept === false) return true;
        if (kept !== true) {
          abnormal = kept instanceof Abnormal ? kept : noSuchOverload;
          return true;
        }
      }
      inside.cost += 1;
      if (abnormal instanceof CelError) return true;
      const name = key?.(inside);
      const value = item(inside);
      inside.cost += 1;
      if (value instanceof Abnormal) abnormal = mergeAbnormal(abnormal, value);
      else abnormal ??= key ? insert(builder, name, value) : insertAll(builder, value);
      return true;
    });
    if (failed) return failed;
    frame.cost += 1;
    return abnormal ?? builder.build();
  };
}

function mergeAbnormal(known: Abnormal | undefined, next: Abnormal): Abnormal {
  return known instanceof CelUnknown && next instanceof CelUnknown ? known.merge(next) : next;
}

function insert(builder: MapBuilder, key: unknown, value: unknown): CelError | undefined {
  if (builder.has(key)) return new CelError(`insert failed: key ${renderGo(key)} already exists`);
  spendEffort(1);
  return builder.set(key, value);
}

function insertAll(builder: MapBuilder, entries: unknown): CelError | undefined {
  if (!isMap(entries)) return noOverload('cel.@mapInsert', builder.build(), entries);
  for (const key of mapKeys(entries)) {
    const failed = insert(builder, key, findKey(entries, key));
    if (failed) return failed;
  }
  return undefined;
}
