import { isJsonObject, type JsonObject } from '../base/index.ts';
import { CelError, CelObject, misplacedTypes, toDocument } from '../cel/index.ts';
import type { KubeObject } from '../object/index.ts';
import { mergeConfiguration, type Schema } from '../schema/index.ts';
import type { MutationResult } from './result.ts';

interface ApplyOptions {
  /** Of the object's kind; undefined where none is known. */
  readonly schema: Schema | undefined;
  /** Lets the configuration replace lists, maps and structs that are one value. */
  readonly allowsAtomic: boolean;
}

/** The object with the `Object{…}` that an expression gave merged into it; its kind cannot be changed. */
export function applyConfiguration(object: KubeObject, value: unknown, options: ApplyOptions): MutationResult {
  if (!(value instanceof CelObject)) {
    return { error: 'unsupported return type from ApplyConfiguration expression: it must be an Object' };
  }
  const misplaced = misplacedTypes(value);
  if (misplaced.length > 0) return { error: `type mismatch: ${misplaced.join('\n')}` };
  const configuration = toDocument(value);
  if (configuration instanceof CelError) return { error: configuration.message };
  if (!isJsonObject(configuration)) return { error: 'an ApplyConfiguration must be an object' };
  const { apiVersion, kind } = object;
  const merged = mergeConfiguration(
    object as unknown as JsonObject,
    { ...configuration, apiVersion, kind } as JsonObject,
    options,
  );
  if ('error' in merged) return { error: `error applying patch: ${merged.error}` };
  return { object: merged.object as unknown as KubeObject };
}
