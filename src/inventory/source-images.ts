import { isJsonObject } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';

/**
 * On a workload whose images were replaced by their copies: which container had which. JSON, container → `from`, `to`.
 * An entry counts only while the container still has the copy, so that a later change by hand is not misread.
 */
export const sourceImagesAnnotation = 'supercargo.dev/source-images';

export interface Replacement {
  readonly from: string;
  readonly to: string;
}

/** Keyed by the container's name, which is unique in a pod; empty when nothing was replaced. */
export function readSourceImages({ metadata }: Pick<KubeObject, 'metadata'>): ReadonlyMap<string, Replacement> {
  const text = metadata.annotations?.[sourceImagesAnnotation];
  if (text === undefined) return new Map();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Somebody else's hand was there: then images are what they say they are.
    return new Map();
  }
  if (!isJsonObject(value)) return new Map();
  return new Map(
    Object.entries(value).flatMap(([container, entry]): [string, Replacement][] => {
      if (!isJsonObject(entry) || typeof entry['from'] !== 'string' || typeof entry['to'] !== 'string') return [];
      return [[container, { from: entry['from'], to: entry['to'] }]];
    }),
  );
}

export function renderSourceImages(replacements: ReadonlyMap<string, Replacement>): string {
  return JSON.stringify(
    Object.fromEntries(
      [...replacements].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { from, to }]) => [name, { from, to }]),
    ),
  );
}
