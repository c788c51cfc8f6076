/**
 * The defaults that the real server gives built-in kinds, as data keyed by definition name: constants where the
 * default depends on nothing, small functions where it depends on siblings. Not here: what a strategy generates
 * (cluster IPs, finalizers of namespaces, selectors of Jobs). Nothing that is given is ever changed in place.
 */

import type { Schema } from '../../../schema/index.ts';
import { type Plan, planOf } from '../plan.ts';
import type { Fields } from '../value.ts';
import { type Defaulter, fill, fillZero } from './fill.ts';
import { podDefaulters } from './pod.ts';
import { serviceDefaulters } from './service.ts';
import { staticDefaults, zeroDefaults } from './statics.ts';
import { workloadDefaulters } from './workload.ts';

/** Walks by the schema and gives every object the defaults of its definition, outermost first. */
export function applyBuiltinDefaults<T extends Fields>(object: T, schema: Schema): T {
  return walk(object, planOf(schema)) as T;
}

const functions: Readonly<Record<string, Defaulter>> = {
  ...podDefaulters,
  ...workloadDefaulters,
  ...serviceDefaulters,
};

interface Step {
  readonly defaulter: Defaulter | undefined;
  /** The fields below which some default may apply; the walk goes nowhere else. */
  readonly fields: readonly (readonly [string, Plan])[];
}

const steps = new WeakMap<Plan, Step>();

function stepOf(plan: Plan): Step {
  const known = steps.get(plan);
  if (known) return known;
  const fields = [...(plan.properties ?? [])].filter(([, child]) => leadsToDefaults(child));
  const step = { defaulter: defaulterOf(plan.definition), fields };
  steps.set(plan, step);
  return step;
}

function defaulterOf(definition: string): Defaulter | undefined {
  const constants = staticDefaults[definition];
  const numbers = zeroDefaults[definition];
  if (constants) return (object) => fill(object, constants);
  if (numbers) return (object) => fillZero(object, numbers);
  return functions[definition];
}

const leads = new WeakMap<Plan, boolean>();

function leadsToDefaults(plan: Plan): boolean {
  const known = leads.get(plan);
  if (known !== undefined) return known;
  // A definition that contains itself leads to defaults only by another way, so "no" is right meanwhile.
  leads.set(plan, false);
  let result = defaulterOf(plan.definition) !== undefined;
  if (!result && plan.items) result = leadsToDefaults(plan.items);
  if (!result && plan.additional) result = leadsToDefaults(plan.additional);
  if (!result) for (const child of plan.properties?.values() ?? []) if ((result = leadsToDefaults(child))) break;
  leads.set(plan, result);
  return result;
}

function walk(value: unknown, plan: Plan): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return walkList(value, plan.items);
  const { defaulter, fields } = stepOf(plan);
  const object = defaulter ? defaulter(value as Fields) : (value as Fields);
  // What a defaulter changed is already a copy of its own.
  let copy = object === value ? undefined : (object as Record<string, unknown>);
  for (const [key, child] of fields) {
    const before = object[key];
    if (before === undefined) continue;
    const after = walk(before, child);
    if (after !== before) (copy ??= { ...object })[key] = after;
  }
  return copy ?? object;
}

function walkList(list: readonly unknown[], items: Plan | undefined): readonly unknown[] {
  if (!items) return list;
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const after = walk(list[i], items);
    if (after !== list[i]) (copy ??= [...list])[i] = after;
  }
  return copy ?? list;
}
