import type { Json, JsonObject } from '../../../src/base/index.ts';

/** A rule on widgets, a kind that no schema knows, with what it does. */
export const rule = (name: string, body: JsonObject): JsonObject => ({
  name,
  match: { any: [{ resources: { kinds: ['Widget'] } }] },
  ...body,
});

export const policy = (name: string, rules: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name },
  spec: { rules, ...more },
});

export const widget = (name: string, spec: Json, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, ...metadata },
  ...(spec === undefined ? {} : { spec }),
});

export const pod = (name: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec,
});

/** Lists of one kind in pieces: a policy may have a thousand rules, and a small case is the one that can be read. */
export function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
