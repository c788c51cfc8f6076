import { isJsonObject } from '../../base/index.ts';

/**
 * Whether a block says anything: `generate: {synchronize: false}` or `mutate: {}` count as not written. A list or map
 * that is written but empty counts as content, except at the places Go leaves a struct embedded by value.
 */
export function hasContent(block: unknown, embedded: readonly string[] = []): boolean {
  if (!isJsonObject(block)) return Array.isArray(block) && block.some((item) => hasContent(item));
  return Object.entries(block).some(([key, value]) => {
    if (value === null || value === undefined || value === false || value === '' || value === 0) return false;
    return embedded.includes(key) ? hasContent(value) : true;
  });
}
