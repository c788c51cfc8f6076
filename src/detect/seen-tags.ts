import { createHash } from 'node:crypto';
import type { LastDetected, SeenTags } from '../api/index.ts';
import type { TagCandidate } from './candidate.ts';

/**
 * What a policy's status stores about earlier scans: the listed tags, and the last detected one. For registries without
 * push times this is the only way to tell a new push from an old one.
 */
export interface TagHistory {
  /** The candidates of one repository with their standing; unchanged if nothing is stored for it. */
  classify(
    candidates: readonly TagCandidate[],
    prefixOf: (candidate: TagCandidate) => string | undefined,
  ): TagCandidate[];
}

/** 5 bytes: with 10,000 tags a new tag is mistaken for an old one once in 100,000,000 pushes. */
const hashBytes = 5;
/** As base64. The status shares an object of at most 1.5 MiB with the last detected images. */
const maxCharacters = 256 * 1024;
/** Deleted tags stay known, so that one incomplete list does not make an old tag new again. */
const maxGone = 1000;

const hashOf = (tag: string) => createHash('sha256').update(tag).digest().subarray(0, hashBytes).toString('base64');

/** `selection` identifies the selection. After it changes, tags listed before may never have competed. */
export function openTagHistory(
  seen: SeenTags | undefined,
  last: readonly LastDetected[],
  selection: string,
): TagHistory {
  const known = new Map(
    seen?.selection === selection ? seen.repositories.map(({ repository, tags }) => [repository, tags]) : [],
  );
  const lastTags = new Set(last.map(({ repository, prefix, tag }) => `${repository}\n${prefix ?? ''}\n${tag}`));
  return {
    classify(candidates, prefixOf) {
      const packed = known.get(candidates[0]?.repository ?? '');
      if (packed === undefined) return [...candidates];
      const hashes = new Set(unpack(packed));
      return candidates.map((candidate): TagCandidate => {
        const { repository, tag, pushedAtMs } = candidate;
        if (pushedAtMs !== undefined) return candidate;
        if (!hashes.has(hashOf(tag))) return { ...candidate, seen: 'new' };
        const isLast = lastTags.has(`${repository}\n${prefixOf(candidate) ?? ''}\n${tag}`);
        return { ...candidate, seen: isLast ? 'last' : 'before' };
      });
    },
  };
}

/** Adds the tags of a scan. Repositories that could not be read keep their entry. */
export function rememberTags(
  seen: SeenTags | undefined,
  listed: ReadonlyMap<string, readonly string[]>,
  selection: string,
): SeenTags | undefined {
  const known = new Map(seen?.repositories.map(({ repository, tags }) => [repository, tags]));
  // After the selection changed, a repository that was not read must not count as one that competed.
  if (seen?.selection !== selection) known.clear();
  for (const [repository, tags] of listed) {
    const before = unpack(known.get(repository) ?? '');
    known.delete(repository);
    known.set(repository, pack(merge(before, tags.map(hashOf))));
  }
  const repositories = withinLimit([...known].map(([repository, tags]) => ({ repository, tags })));
  return repositories.length > 0 ? { selection, repositories } : undefined;
}

function merge(before: readonly string[], now: readonly string[]): readonly string[] {
  const current = new Set(now);
  const gone = before.filter((hash) => !current.has(hash)).slice(-maxGone);
  return [...gone, ...[...current].sort()];
}

/** Drops the longest lists first: a repository without a list is ordered by dates and numbers only. */
function withinLimit(entries: SeenTags['repositories']): SeenTags['repositories'] {
  let total = entries.reduce((sum, { tags }) => sum + tags.length, 0);
  const dropped = new Set<string>();
  for (const { repository, tags } of [...entries].sort((a, b) => b.tags.length - a.tags.length)) {
    if (total <= maxCharacters) break;
    dropped.add(repository);
    total -= tags.length;
  }
  return entries.filter(({ repository }) => !dropped.has(repository));
}

const pack = (hashes: readonly string[]): string =>
  Buffer.concat(hashes.map((hash) => Buffer.from(hash, 'base64'))).toString('base64');

function unpack(packed: string): string[] {
  const bytes = Buffer.from(packed, 'base64');
  return Array.from({ length: Math.floor(bytes.length / hashBytes) }, (_, i) =>
    bytes.subarray(i * hashBytes, (i + 1) * hashBytes).toString('base64'),
  );
}
