import { setOwn } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import { type Plan, planOf } from './plan.ts';
import type { Fields } from './value.ts';

/**
 * Fills in the schema's defaults as Kubernetes does for custom resources: into objects that exist, for fields
 * that are absent or null where null is not allowed. A null that has no default is dropped. Gives the very
 * object that came in when nothing changed.
 */
export function applyDefaults<T extends Fields>(object: T, schema: Schema): T {
  return fillObject(object, planOf(schema)) as T;
}

function fill(value: unknown, plan: Plan): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return fillObject(value as Fields, plan);
  const { items } = plan;
  if (!items) return value;
  let copy: unknown[] | undefined;
  for (let i = 0; i < value.length; i++) {
    let after = value[i];
    if (after === null && !items.nullable && items.defaultValue !== undefined) after = items.defaultValue;
    after = fill(after, items);
    if (after !== value[i]) (copy ??= [...value])[i] = after;
  }
  return copy ?? value;
}

function fillObject(object: Fields, plan: Plan): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const [key, child] of plan.defaults) {
    const present = Object.hasOwn(object, key) ? object[key] : undefined;
    // Defaults are shared, not cloned: nothing that stores or serves an object changes it in place.
    if (present === undefined || (present === null && !child.nullable))
      setOwn((copy ??= { ...object }), key, child.defaultValue);
  }
  const source = copy ?? object;
  for (const key in source) {
    const child = plan.properties?.get(key) ?? plan.additional;
    if (!child) continue;
    const before = source[key];
    if (before === null) {
      if (child.nullable) continue;
      copy ??= { ...object };
      if (child.defaultValue === undefined || child.defaultValue === null) delete copy[key];
      else setOwn(copy, key, fill(child.defaultValue, child));
      continue;
    }
    if (typeof before !== 'object') continue;
    const after = fill(before, child);
    if (after !== before) (copy ??= { ...object })[key] = after;
  }
  return copy ?? object;
}
