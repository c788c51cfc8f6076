import { createHash } from 'node:crypto';
import { isJsonObject, renderJson } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';

/** When and by which field managers the main resource of an object was last written, as far as managedFields show. */
interface LastWrite {
  readonly timeMs: number;
  readonly managers: readonly string[];
}

/** Subresources that write the spec; their writes are triggers too. */
const specSubresources: ReadonlySet<string> = new Set(['ephemeralcontainers', 'resize', 'scale']);

export function createdAtMs({ metadata }: KubeObject): number {
  const time = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(time) ? 0 : time;
}

/** Creation counts as a write; status writes do not. */
export function lastWriteOf(object: KubeObject): LastWrite {
  let timeMs = createdAtMs(object);
  let managers: string[] = [];
  for (const { manager = '', time = '', subresource = '' } of object.metadata.managedFields ?? []) {
    if (subresource !== '' && !specSubresources.has(subresource)) continue;
    const at = Date.parse(time);
    if (Number.isNaN(at) || at < timeMs) continue;
    if (at > timeMs) managers = [];
    timeMs = at;
    managers.push(manager);
  }
  return { timeMs, managers };
}

/** Whether only this field manager made the newest write. Several writes within one second are rare. */
export function isWrittenBy(manager: string, { managers }: LastWrite): boolean {
  return managers.length > 0 && managers.every((name) => name === manager);
}

/**
 * Equal for two states of an object if its main resource was not written in between. Ignores status, server-managed
 * metadata, the node chosen by the scheduler and the start of a deletion.
 */
export function digestOf(object: KubeObject): string {
  const { metadata, status: _, spec, ...rest } = object;
  const {
    resourceVersion: __,
    managedFields: ___,
    generation: ____,
    deletionTimestamp: _____,
    deletionGracePeriodSeconds: ______,
    ...kept
  } = metadata;
  let content = spec;
  if (isJsonObject(spec) && 'nodeName' in spec) {
    const { nodeName: _______, ...others } = spec;
    content = others;
  }
  return createHash('sha256')
    .update(renderJson([kept, content, rest]))
    .digest('base64')
    .slice(0, 22);
}
