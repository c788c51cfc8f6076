import { LRUCache } from 'lru-cache';
import type { Digest } from '../../image/index.ts';

/**
 * Which repository of a registry has a blob, so that another repository can mount it. Share one only among users that
 * may read each other's blobs: a manifest may name a layer of another tenant, and mounting it does not prove that the
 * user can read it.
 */
export interface BlobPlaces {
  get(registry: string, digest: Digest): string | undefined;
  set(registry: string, digest: Digest, path: string): void;
}

const maxPlaces = 20_000;

export function createBlobPlaces(): BlobPlaces {
  const paths = new LRUCache<string, string>({ max: maxPlaces });
  const keyOf = (registry: string, digest: Digest) => `${registry}@${digest}`;
  return {
    get: (registry, digest) => paths.get(keyOf(registry, digest)),
    set: (registry, digest, path) => void paths.set(keyOf(registry, digest), path),
  };
}

/** Places that all of several stores know. A new place is added to each of them. */
export function intersectPlaces(places: readonly BlobPlaces[]): BlobPlaces {
  return {
    get(registry, digest) {
      const paths = places.map((one) => one.get(registry, digest));
      return paths.includes(undefined) ? undefined : paths[0];
    },
    set(registry, digest, path) {
      for (const one of places) one.set(registry, digest, path);
    },
  };
}
