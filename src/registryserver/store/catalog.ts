import type { JsonObject } from '../../base/index.ts';
import { type Digest, isDigest, isTag, type Tag } from '../../image/index.ts';

interface ManifestEntry {
  readonly mediaType: string;
  readonly subject?: Digest | undefined;
}

export interface RepositoryEntry {
  readonly tags: ReadonlyMap<Tag, Digest>;
  readonly manifests: ReadonlyMap<Digest, ManifestEntry>;
  readonly blobs: ReadonlySet<Digest>;
}

/** One change of the catalog, as stored in the journal. */
export type Change =
  | { readonly repository: string; readonly put: 'tag'; readonly tag: Tag; readonly digest: Digest }
  | {
      readonly repository: string;
      readonly put: 'manifest';
      readonly digest: Digest;
      readonly mediaType: string;
      readonly subject?: Digest;
    }
  | { readonly repository: string; readonly put: 'blob'; readonly digest: Digest }
  | { readonly repository: string; readonly remove: 'tag'; readonly tag: Tag }
  | { readonly repository: string; readonly remove: 'manifest' | 'blob'; readonly digest: Digest };

interface MutableEntry {
  readonly tags: Map<Tag, Digest>;
  readonly manifests: Map<Digest, ManifestEntry>;
  readonly blobs: Set<Digest>;
  readonly referrers: Map<Digest, Set<Digest>>;
  sortedTags: readonly Tag[] | undefined;
}

/** The content of the repositories, except the bytes. */
export class Catalog {
  private readonly entries = new Map<string, MutableEntry>();
  private sortedNames: readonly string[] | undefined;

  get(repository: string): RepositoryEntry | undefined {
    return this.entries.get(repository);
  }

  /** Repositories with at least one manifest, in byte order. Uploads alone do not create a repository. */
  names(): readonly string[] {
    this.sortedNames ??= [...this.entries]
      .filter(([, { manifests }]) => manifests.size > 0)
      .map(([name]) => name)
      .sort(inByteOrder);
    return this.sortedNames;
  }

  tags(repository: string): readonly Tag[] {
    const entry = this.entries.get(repository);
    if (entry === undefined) return [];
    entry.sortedTags ??= [...entry.tags.keys()].sort(inByteOrder);
    return entry.sortedTags;
  }

  referrers(repository: string, subject: Digest): readonly Digest[] {
    return [...(this.entries.get(repository)?.referrers.get(subject) ?? [])].sort(inByteOrder);
  }

  apply(change: Change): void {
    const entry = this.entries.get(change.repository) ?? this.create(change.repository);
    if ('put' in change) put(entry, change);
    else remove(entry, change);
    if ('put' in change ? change.put === 'manifest' : change.remove === 'manifest') this.sortedNames = undefined;
    if (entry.manifests.size + entry.blobs.size + entry.tags.size === 0) this.entries.delete(change.repository);
  }

  /** The shortest list of changes that produces this state. */
  *changes(): Generator<Change> {
    for (const [repository, { tags, manifests, blobs }] of this.entries) {
      for (const digest of blobs) yield { repository, put: 'blob', digest };
      for (const [digest, { mediaType, subject }] of manifests)
        yield { repository, put: 'manifest', digest, mediaType, ...(subject === undefined ? {} : { subject }) };
      for (const [tag, digest] of tags) yield { repository, put: 'tag', tag, digest };
    }
  }

  *all(): Generator<readonly [string, RepositoryEntry]> {
    yield* this.entries;
  }

  private create(repository: string): MutableEntry {
    const entry: MutableEntry = {
      tags: new Map(),
      manifests: new Map(),
      blobs: new Set(),
      referrers: new Map(),
      sortedTags: undefined,
    };
    this.entries.set(repository, entry);
    return entry;
  }
}

const inByteOrder = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

function put(entry: MutableEntry, change: Extract<Change, { put: string }>): void {
  if (change.put === 'blob') entry.blobs.add(change.digest);
  else if (change.put === 'tag') {
    if (!entry.tags.has(change.tag)) entry.sortedTags = undefined;
    entry.tags.set(change.tag, change.digest);
  } else {
    const { digest, mediaType, subject } = change;
    entry.manifests.set(digest, { mediaType, subject });
    if (subject === undefined) return;
    const known = entry.referrers.get(subject) ?? new Set();
    entry.referrers.set(subject, known.add(digest));
  }
}

function remove(entry: MutableEntry, change: Extract<Change, { remove: string }>): void {
  if (change.remove === 'tag') {
    entry.tags.delete(change.tag);
    entry.sortedTags = undefined;
  } else if (change.remove === 'blob') entry.blobs.delete(change.digest);
  else {
    const subject = entry.manifests.get(change.digest)?.subject;
    if (subject !== undefined) entry.referrers.get(subject)?.delete(change.digest);
    entry.manifests.delete(change.digest);
    for (const [tag, digest] of entry.tags) if (digest === change.digest) entry.tags.delete(tag);
    entry.sortedTags = undefined;
  }
}

/** Parses a journal record; undefined when it is not a change. */
export function changeOf(record: JsonObject): Change | undefined {
  const { repository, put: putting, remove: removing, digest, tag, mediaType, subject } = record;
  if (typeof repository !== 'string') return undefined;
  const isTagged = typeof tag === 'string' && isTag(tag);
  if (removing === 'tag') return isTagged ? { repository, remove: removing, tag } : undefined;
  if (typeof digest !== 'string' || !isDigest(digest)) return undefined;
  if (removing === 'manifest' || removing === 'blob') return { repository, remove: removing, digest };
  if (putting === 'blob') return { repository, put: putting, digest };
  if (putting === 'tag') return isTagged ? { repository, put: putting, tag, digest } : undefined;
  if (putting !== 'manifest' || typeof mediaType !== 'string') return undefined;
  const known = typeof subject === 'string' && isDigest(subject) ? { subject } : {};
  return { repository, put: putting, digest, mediaType, ...known };
}
