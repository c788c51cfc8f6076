import { isJsonObject } from '../../base/index.ts';

/**
 * Whether a block has content: `generate: {synchronize: false}` or `mutate: {}` count as not set. An empty list or map
 * counts as content, except where Go embeds a struct by value.
 */
export function hasContent(block: unknown, embedded: readonly string[] = []): boolean {
  if (!isJsonObject(block)) return Array.isArray(block) && block.some((item) => hasContent(item));
  return Object.entries(block).some(([key, value]) => {
    if (value === null || value === undefined || value === false || value === '' || value === 0) return false;
    return embedded.includes(key) ? hasContent(value) : true;
  });
}
