import { errorMessage, isAbort, mapConcurrent } from '../base/index.ts';
import type { Candidate, Judgement } from './candidate.ts';
import type { ImageSource, IsCopy, SourceRepository } from './image-source.ts';
import type { ImageMatcher } from './pattern.ts';
import type { Selection } from './selection.ts';

export interface ScanOptions {
  readonly source: ImageSource;
  readonly matcher: ImageMatcher;
  readonly selection: Selection;
  readonly isCopy?: IsCopy | undefined;
  readonly maxRepositories: number;
  readonly maxConcurrentScans: number;
  readonly signal: AbortSignal;
}

/** An image that was chosen, with all that is known of it. */
export interface ChosenImage {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
  readonly pushedAtMs?: number | undefined;
  readonly prefix?: string | undefined;
}

export interface Scan {
  readonly repositories: number;
  readonly images: number;
  /** Repositories that match and were left out, because they hold copies. */
  readonly copies: number;
  /** More repositories match than the policy allows to be looked at. */
  readonly isTruncated: boolean;
  readonly failures: readonly { readonly repository: string; readonly message: string }[];
  /** Every tag with its fate. */
  readonly judgements: readonly Judgement[];
  readonly chosen: readonly ChosenImage[];
}

/** Looks through the repositories. One that fails costs its own images; the scan fails when none can be read. */
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
      return (await source.tags(repository, signal)).filter(({ tag }) => matcher.hasTag(tag));
    } catch (thrown) {
      fail(repository.path, thrown);
      return [];
    }
  });
  if (found.length > 0 && failures.length === found.length) throw firstThrown;
  const candidates = lists.flat();
  const judgements = selection.judge(candidates);
  // With a part of the competitors unknown nobody can be said to have won.
  const isOpen = selection.isOverall && failures.length > 0;
  const winners = isOpen ? [] : judgements.filter((judgement) => judgement.chosen);
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
    judgements,
    chosen: chosen.flat(),
  };
}

async function complete(
  { repository, tag, digest, pushedAtMs }: Candidate,
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
    ...(prefix === undefined ? {} : { prefix }),
  };
}

/** Matches while paging, and stops at the limit: a registry may have a hundred thousand repositories. */
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
