import { errorMessage, isAbort, mapConcurrent } from '../base/index.ts';
import { planCreatedReads } from './age.ts';
import type { TagCandidate, TagDecision } from './candidate.ts';
import type { ImageSource, IsCopy, SourceRepository } from './image-source.ts';
import type { ImageMatcher } from './pattern.ts';
import type { TagHistory } from './seen-tags.ts';
import type { Selection } from './selection.ts';

interface ScanOptions {
  readonly source: ImageSource;
  readonly matcher: ImageMatcher;
  readonly selection: Selection;
  readonly isCopy?: IsCopy | undefined;
  /** Tags listed by earlier scans, for selections by age. */
  readonly history?: TagHistory | undefined;
  readonly maxRepositories: number;
  readonly maxConcurrentScans: number;
  readonly signal: AbortSignal;
}

/** A chosen image. */
export interface ChosenImage {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
  readonly pushedAtMs?: number | undefined;
  readonly seen?: TagCandidate['seen'];
  readonly createdAtMs?: number | undefined;
  readonly prefix?: string | undefined;
}

export interface Scan {
  readonly repositories: number;
  readonly images: number;
  /** Matching repositories that were excluded because they hold copies. */
  readonly copies: number;
  /** The single repository that the policy names, if the registry has no tag of it. */
  readonly missing?: string | undefined;
  /** More repositories match than the policy allows to be scanned. */
  readonly isTruncated: boolean;
  readonly failures: readonly { readonly repository: string; readonly message: string }[];
  /** The decision on every tag. */
  readonly decisions: readonly TagDecision[];
  readonly chosen: readonly ChosenImage[];
  /** All tags of repositories that were read without error and have no push times. */
  readonly listed: ReadonlyMap<string, readonly string[]>;
}

/** Scans the repositories. A failing repository loses only its own images; the scan fails if none can be read. */
export async function scan(options: ScanOptions): Promise<Scan> {
  const { source, matcher, selection, signal } = options;
  const { found, copies, isTruncated } = await findRepositories(options);
  const failures: { readonly repository: string; readonly message: string }[] = [];
  let firstThrown: unknown;
  const fail = (repository: string, thrown: unknown) => {
    if (isAbort(thrown) || signal.aborted) throw thrown;
    firstThrown ??= thrown;
    failures.push({ repository, message: errorMessage(thrown) });
  };
  const lists = await mapConcurrent(found, options.maxConcurrentScans, async (repository) => {
    try {
      return await source.tags(repository, signal);
    } catch (thrown) {
      fail(repository.path, thrown);
      return [];
    }
  });
  if (found.length > 0 && failures.length === found.length) throw firstThrown;
  const listed = lists.flat();
  const candidates = await withDates(
    lists.flatMap((tags) =>
      classify(
        tags.filter(({ tag }) => matcher.hasTag(tag)),
        options,
      ),
    ),
    options,
    fail,
  );
  const decisions = selection.decide(candidates);
  const filtered = listed
    .filter(({ tag }) => !matcher.hasTag(tag))
    .map((candidate) => ({ candidate, chosen: false, reason: 'its tag does not match imagePattern' }));
  const isMissing = matcher.exact !== undefined && copies === 0 && failures.length === 0 && listed.length === 0;
  // If some competitors are unknown, there is no winner.
  const isOpen = selection.isOverall && failures.length > 0;
  const winners = isOpen ? [] : decisions.filter((decision) => decision.chosen);
  const hosts = new Map(found.map(({ path, registry }) => [path, registry]));
  const chosen = await mapConcurrent(winners, options.maxConcurrentScans, async ({ candidate, prefix }) => {
    try {
      return [await complete(candidate, prefix, hosts.get(candidate.repository) ?? source.registry, options)];
    } catch (thrown) {
      fail(candidate.repository, thrown);
      return [];
    }
  });
  return {
    repositories: found.length,
    images: candidates.length,
    copies,
    isTruncated,
    failures,
    decisions: [...decisions, ...filtered],
    ...(isMissing ? { missing: matcher.exact } : {}),
    chosen: chosen.flat(),
    listed: listedIn(lists, failures),
  };
}

const classify = (candidates: readonly TagCandidate[], { history, selection }: ScanOptions): readonly TagCandidate[] =>
  selection.byAge === undefined || !history ? candidates : history.classify(candidates, selection.prefixOf);

/** A repository whose dates cannot be read does not compete: an older tag must not win because a request failed. */
async function withDates(
  candidates: readonly TagCandidate[],
  { source, selection, maxConcurrentScans, signal }: ScanOptions,
  fail: (repository: string, thrown: unknown) => void,
): Promise<readonly TagCandidate[]> {
  if (selection.byAge === undefined || !source.datesOf) return candidates;
  const dated = new Map<TagCandidate, TagCandidate>();
  const failed = new Set<string>();
  await mapConcurrent(planCreatedReads(candidates, selection.groupOf), maxConcurrentScans, async (candidate) => {
    if (failed.has(candidate.repository)) return;
    try {
      const { digest, createdAtMs } = await source.datesOf!(candidate, signal);
      dated.set(candidate, { ...candidate, digest, createdAtMs });
    } catch (thrown) {
      if (!failed.has(candidate.repository)) fail(candidate.repository, thrown);
      failed.add(candidate.repository);
    }
  });
  return candidates
    .filter(({ repository }) => !failed.has(repository))
    .map((candidate) => dated.get(candidate) ?? candidate);
}

/** Tags of a failed repository count as not yet seen, so that the next scan still treats them as new. */
function listedIn(
  lists: readonly (readonly TagCandidate[])[],
  failures: readonly { readonly repository: string }[],
): ReadonlyMap<string, readonly string[]> {
  const failed = new Set(failures.map(({ repository }) => repository));
  const listed = new Map<string, readonly string[]>();
  for (const tags of lists) {
    const [first] = tags;
    if (first && first.pushedAtMs === undefined && !failed.has(first.repository))
      listed.set(
        first.repository,
        tags.map(({ tag }) => tag),
      );
  }
  return listed;
}

async function complete(
  { repository, tag, digest, pushedAtMs, seen, createdAtMs }: TagCandidate,
  prefix: string | undefined,
  registry: string,
  { source, signal }: ScanOptions,
): Promise<ChosenImage> {
  return {
    registry,
    repository,
    tag,
    digest: digest ?? (await source.digestOf({ repository, tag }, signal)),
    ...(pushedAtMs === undefined ? {} : { pushedAtMs }),
    ...(seen === undefined ? {} : { seen }),
    ...(createdAtMs === undefined ? {} : { createdAtMs }),
    ...(prefix === undefined ? {} : { prefix }),
  };
}

/** Matches while paging and stops at the limit: a registry may have a hundred thousand repositories. */
async function findRepositories(options: ScanOptions): Promise<{
  readonly found: readonly SourceRepository[];
  readonly copies: number;
  readonly isTruncated: boolean;
}> {
  const { source, matcher, maxRepositories, isCopy = () => false, signal } = options;
  const found: SourceRepository[] = [];
  let copies = 0;
  for await (const page of source.repositories(matcher, signal)) {
    for (const repository of page) {
      if (!matcher.hasRepository(repository.path)) continue;
      if (isCopy(repository)) copies++;
      else if (found.length === maxRepositories) return { found, copies, isTruncated: true };
      else found.push(repository);
    }
  }
  return { found, copies, isTruncated: false };
}
