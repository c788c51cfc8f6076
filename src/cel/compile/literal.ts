import type { ListNode, MapNode, StructNode } from '../ast.ts';
import { MapBuilder } from '../values/map.ts';
import { renderGo } from '../values/render.ts';
import { Abnormal, CelError, CelObject, CelOptional, CelUnknown, none } from '../values/values.ts';
import { abnormalOf } from './logic.ts';
import { constantPlan, type Eval, type Plan } from './plan.ts';

const listCost = 10;
const mapCost = 30;
const structCost = 40;

/** A list; one of constants is made once and costs nothing. */
export function compileList(node: ListNode, plans: readonly Plan[]): Plan {
  const evals = plans.map((plan) => plan.eval);
  const optionals = node.items.map(({ isOptional }) => isOptional);
  const hasOptionals = optionals.includes(true);
  if (!hasOptionals && plans.every(({ constant }) => constant)) {
    return constantPlan(plans.map(({ constant }) => constant?.value));
  }
  const build: Eval = (frame) => {
    const list: unknown[] = [];
    let unknown: Abnormal | undefined;
    for (let i = 0; i < evals.length; i++) {
      const value = (evals[i] as Eval)(frame);
      if (value instanceof Abnormal) {
        if (value instanceof CelError) return value;
        unknown = abnormalOf(unknown, value);
      } else if (hasOptionals && optionals[i]) {
        if (!(value instanceof CelOptional)) {
          return new CelError(`cannot initialize optional list element from non-optional value ${renderGo(value)}`);
        }
        if (value !== none) list.push(value.value);
      } else list.push(value);
    }
    return unknown ?? list;
  };
  return { eval: charged(build, listCost) };
}

export function compileMap(node: MapNode, keys: readonly Plan[], values: readonly Plan[]): Plan {
  const build = entries(
    keys.map((plan) => plan.eval),
    values.map((plan) => plan.eval),
    node.entries.map(({ isOptional }) => isOptional),
    (builder) => builder.build(),
  );
  const isConstant = [...keys, ...values].every(({ constant }) => constant);
  if (isConstant && !node.entries.some(({ isOptional }) => isOptional)) {
    const value = build(undefined as never);
    if (!(value instanceof Abnormal)) return constantPlan(value);
  }
  return { eval: charged(build, mapCost) };
}

export function compileStruct(node: StructNode, typeName: string, values: readonly Plan[]): Plan {
  const build = entries(
    node.fields.map(
      ({ name }): Eval =>
        () =>
          name,
    ),
    values.map((plan) => plan.eval),
    node.fields.map(({ isOptional }) => isOptional),
    // Its keys are names, so it is plain.
    (builder) => new CelObject(typeName, builder.build() as Readonly<Record<string, unknown>>),
  );
  return { eval: charged(build, structCost) };
}

function entries(
  keys: readonly Eval[],
  values: readonly Eval[],
  optionals: readonly boolean[],
  finish: (builder: MapBuilder) => unknown,
): Eval {
  return (frame) => {
    const builder = new MapBuilder();
    let unknown: Abnormal | undefined;
    for (let i = 0; i < keys.length; i++) {
      const key = (keys[i] as Eval)(frame);
      if (key instanceof CelError) return key;
      let value = (values[i] as Eval)(frame);
      if (value instanceof CelError) return value;
      if (key instanceof CelUnknown || value instanceof CelUnknown) {
        unknown = abnormalOf(unknown, abnormalOf(key, value));
        continue;
      }
      if (optionals[i]) {
        if (!(value instanceof CelOptional)) {
          const shown = `'${renderGo(key)}' from non-optional value ${renderGo(value)}`;
          return new CelError(`cannot initialize optional entry ${shown}`);
        }
        if (value === none) {
          builder.delete(key);
          continue;
        }
        value = value.value;
      }
      const refused = builder.set(key, value);
      if (refused) return refused;
    }
    return unknown ?? finish(builder);
  };
}

/** The cost of a list or map is counted whether it could be made or not. */
function charged(build: Eval, cost: number): Eval {
  return (frame) => {
    const value = build(frame);
    frame.cost += cost;
    return value;
  };
}
