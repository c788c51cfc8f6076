import type { JsonObject } from '../base/index.ts';
import { checkApplied } from './check.ts';
import { mergeApplied } from './merge.ts';
import { FieldsError, fieldElement, type PathElement, renderPath } from './path-element.ts';
import { type Shape, shapeOfKind } from './shape.ts';
import type { Schema } from './types.ts';
import { formOf } from './value.ts';

type ConfigurationResult = { readonly object: JsonObject } | { readonly error: string };

interface ConfigurationOptions {
  /** Undefined for a kind that no schema is known of: maps merge, lists are replaced. */
  readonly schema: Schema | undefined;
  /** Lets the configuration replace lists, maps and structs that are one value. */
  readonly allowsAtomic: boolean;
}

/**
 * The object with an apply configuration of a mutation merged in: as server-side apply merges, but without ownership, so
 * that nothing is removed. Refused, in the words of the API server: fields that the schema does not have, and whatever
 * would replace more than is written.
 */
export function mergeConfiguration(
  live: JsonObject,
  configuration: JsonObject,
  { schema, allowsAtomic }: ConfigurationOptions,
): ConfigurationResult {
  const problem = checkApplied(configuration, schema);
  if (problem !== undefined) {
    return { error: `failed to convert patch object to typed object: ${problem}` };
  }
  const atomics = allowsAtomic ? [] : atomicPaths(shapeOfKind(schema), configuration, []);
  if (atomics.length > 0) {
    const places = atomics.join(', ');
    return { error: `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${places}` };
  }
  try {
    return { object: mergeApplied(live, configuration, schema) };
  } catch (thrown) {
    if (!(thrown instanceof FieldsError)) throw thrown;
    return { error: `failed to merge patch: ${thrown.message}` };
  }
}

/** Where the value has lists, maps and structs that are merged as one value. */
function atomicPaths(shape: Shape, value: unknown, path: readonly PathElement[]): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const form = formOf(shape, value);
  if (form === 'list' && shape.list && Array.isArray(value)) {
    const { kind, item } = shape.list;
    const inside = value.flatMap((each, i) => atomicPaths(item, each, [...path, `i:${i}`]));
    return kind === 'atomic' ? [renderPath(path), ...inside] : inside;
  }
  if (form !== 'map' || !shape.map || Array.isArray(value)) return [];
  const { isAtomic, declared } = shape.map;
  const inside = Object.entries(value).flatMap(([name, field]) => {
    // What the schema does not name is not looked into.
    const child = declared(name);
    return child ? atomicPaths(child, field, [...path, fieldElement(name)]) : [];
  });
  return isAtomic ? [renderPath(path), ...inside] : inside;
}
