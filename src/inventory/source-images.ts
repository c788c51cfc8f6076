import { isJsonObject } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';

/**
 * Annotation of a workload whose images were replaced by their copies: the original image of each container. JSON,
 * container → `from`, `to`. An entry applies only while the container still has the copy, so that a later manual change
 * is not misread.
 */
export const sourceImagesAnnotation = 'supercargo.dev/source-images';

interface Replacement {
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
    // The annotation was edited by hand: use the images as written.
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
