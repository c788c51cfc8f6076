import { isJsonObject, renderJson } from '../base/index.ts';
import { deepEqual, type KubeObject } from '../object/index.ts';
import type { Evaluation } from '../policy/index.ts';
import { builtinSchemaOf, type Schema } from '../schema/index.ts';
import type { ServedKind } from './kinds.ts';

/** What a rule does: its verdict, or the objects that it changes or makes. */
export type Outcome = 'blocked' | 'allowed' | 'error' | readonly KubeObject[];

export function outcomeOf({ results, object }: Evaluation, phase: 'validate' | 'mutate' | 'generate'): Outcome {
  const hasFailed = results.some(({ status }) => status === 'fail' || status === 'error');
  if (phase === 'validate') return hasFailed ? 'blocked' : 'allowed';
  if (hasFailed) return 'error';
  if (phase === 'generate') return results.flatMap(({ generated }) => generated ?? []);
  const targets = results.flatMap(({ targets: changed }) => changed ?? []);
  return [...(object ? [object] : []), ...targets];
}

/** `reordered` where only the order of elements differs that are known by their names. */
export function compareOutcomes(
  a: Outcome,
  b: Outcome,
  kind: ServedKind | undefined,
): 'same' | 'reordered' | 'different' {
  if (typeof a === 'string' || typeof b === 'string') return a === b ? 'same' : 'different';
  if (deepEqual(a, b)) return 'same';
  if (kind === undefined || a.length !== b.length) return 'different';
  const schema = builtinSchemaOf(kind);
  const [first, second] = [a, b].map((objects) => objects.map((object) => sorted(object, schema)));
  return deepEqual(first, second) ? 'reordered' : 'different';
}

/** They are run or read one after the other. */
const ordered = new Set(['initContainers', 'env']);

/** With the elements of lists in the order of their keys. */
function sorted(value: unknown, schema: Schema | undefined, field = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => sorted(item, schema?.items));
    if (schema?.['x-kubernetes-list-type'] !== 'map' || ordered.has(field)) return items;
    const keys = schema['x-kubernetes-list-map-keys'] ?? [];
    const idOf = (item: unknown) => renderJson(keys.map((key) => (isJsonObject(item) ? (item[key] ?? null) : null)));
    return items.sort((x, y) => (idOf(x) < idOf(y) ? -1 : 1));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, below]) => {
      const others = schema?.additionalProperties;
      const child = schema?.properties?.[key] ?? (typeof others === 'object' ? others : undefined);
      return [key, sorted(below, child, key)];
    }),
  );
}
