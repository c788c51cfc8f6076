import type { Clock } from '../../base/index.ts';
import { type Digest, parseManifest } from '../../image/index.ts';
import type { Change, RepositoryEntry } from './catalog.ts';
import type { Store } from './store.ts';

export interface GarbageOptions {
  /** Also removes manifests that no tag, index or kept subject references. */
  readonly untagged?: boolean;
  /** Content that is newer than this many milliseconds is kept: its manifest may be about to arrive. */
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
}

export interface GarbageReport {
  readonly manifests: number;
  readonly blobs: number;
  readonly bytes: number;
}

const defaultGraceMs = 60 * 60 * 1000;

/** Removes unreferenced content: links first, so that a file is removed only when no repository shows it any more. */
export async function collectGarbage(store: Store, clock: Clock, options: GarbageOptions = {}): Promise<GarbageReport> {
  const { untagged = false, graceMs = defaultGraceMs, signal } = options;
  const ages = new Map<Digest, { readonly size: number; readonly modifiedMs: number }>();
  for await (const { digest, size, modifiedMs } of store.blobs.all()) ages.set(digest, { size, modifiedMs });
  const isYoung = (digest: Digest) => (ages.get(digest)?.modifiedMs ?? 0) > clock.now() - graceMs;
  const changes: Change[] = [];
  const kept = new Set<Digest>();
  let manifests = 0;
  for (const [repository, entry] of store.catalog.all()) {
    signal?.throwIfAborted();
    const reached = await reach(store, repository, entry, { untagged, isYoung });
    for (const digest of [...reached.manifests, ...reached.blobs]) kept.add(digest);
    for (const digest of entry.manifests.keys()) {
      if (reached.manifests.has(digest)) continue;
      changes.push({ repository, remove: 'manifest', digest });
      manifests++;
    }
    for (const digest of entry.blobs) {
      if (reached.blobs.has(digest)) continue;
      if (isYoung(digest)) kept.add(digest);
      else changes.push({ repository, remove: 'blob', digest });
    }
  }
  await store.change(...changes);
  let [blobs, bytes] = [0, 0];
  for (const [digest, { size }] of ages) {
    signal?.throwIfAborted();
    // Checked again at the last moment: a push may have linked it since.
    if (kept.has(digest) || isYoung(digest) || isLinked(store, digest)) continue;
    await store.blobs.remove(digest);
    blobs++;
    bytes += size;
  }
  return { manifests, blobs, bytes };
}

function isLinked(store: Store, digest: Digest): boolean {
  for (const [, entry] of store.catalog.all()) if (entry.blobs.has(digest) || entry.manifests.has(digest)) return true;
  return false;
}

async function reach(
  store: Store,
  repository: string,
  entry: RepositoryEntry,
  { untagged, isYoung }: { readonly untagged: boolean; readonly isYoung: (digest: Digest) => boolean },
): Promise<{ readonly manifests: ReadonlySet<Digest>; readonly blobs: ReadonlySet<Digest> }> {
  const manifests = new Set<Digest>();
  const blobs = new Set<Digest>();
  const roots = untagged ? entry.tags.values() : entry.manifests.keys();
  const queue = [...roots, ...[...entry.manifests.keys()].filter(isYoung)];
  for (let digest = queue.pop(); digest !== undefined; digest = queue.pop()) {
    const known = entry.manifests.get(digest);
    if (known === undefined || manifests.has(digest)) continue;
    manifests.add(digest);
    const manifest = parseManifest(await store.blobs.read(digest), known.mediaType);
    for (const blob of manifest.blobs) blobs.add(blob.digest);
    queue.push(...manifest.manifests.map((child) => child.digest), ...store.catalog.referrers(repository, digest));
  }
  return { manifests, blobs };
}
