import type { Clock } from '../base/index.ts';
import { type Git, GitError, type GitRemote } from '../git/index.ts';
import { keyOf } from '../object/index.ts';
import { Batcher } from './batch.ts';
import { type BatchPlan, type BranchFiles, pathsOf, planBatch } from './batch-plan.ts';
import { authorOf, commitMessage } from './commit-message.ts';
import type { CreateMetrics } from './metrics.ts';
import { detectionTrailer, type PublishItem, type PublishResult, trailerValue, uidOfTrailer } from './publish-item.ts';

/** Commits one detection, together with others that arrive at the same time. */
export type Publish = (item: PublishItem, signal: AbortSignal) => Promise<PublishResult>;

export interface PublisherOptions {
  readonly git: Pick<Git, 'commit'>;
  readonly remoteOf: (item: PublishItem, signal: AbortSignal) => Promise<GitRemote>;
  readonly clock: Clock;
  readonly metrics: CreateMetrics;
  readonly windowMs?: number | undefined;
  readonly maxItems?: number | undefined;
}

/** Clock skew: a commit slightly older than its detection is still considered. */
const skewMs = 15 * 60_000;

export function createPublisher(options: PublisherOptions): Publish {
  const batcher = new Batcher<PublishItem, PublishResult>({
    windowMs: options.windowMs ?? 2_000,
    maxItems: options.maxItems ?? 100,
    clock: options.clock,
    run: (items, signal) => publishAll(items, options, signal),
  });
  return (item, signal) => batcher.add(targetOf(item), item, signal);
}

/** Detections share a commit if they have the same branch and the same identity. */
function targetOf(item: PublishItem): string {
  const { url, branch = 'main', secretRef } = item.template.spec.gitRepository;
  const secret = secretRef && `${item.template.metadata.namespace}/${secretRef.name}`;
  const { name, email } = authorOf(item);
  return JSON.stringify([url, branch, secret ?? '', name, email]);
}

async function publishAll(
  items: readonly PublishItem[],
  options: PublisherOptions,
  signal: AbortSignal,
): Promise<readonly PublishResult[]> {
  const startedMs = options.clock.monotonicMs();
  try {
    const results = await publishTogether(items, options, signal);
    options.metrics.pushed('success', (options.clock.monotonicMs() - startedMs) / 1000);
    return results;
  } catch (thrown) {
    options.metrics.pushed('failure', (options.clock.monotonicMs() - startedMs) / 1000);
    // A path through a symbolic link must not block the others.
    const isOnesFault = thrown instanceof GitError && thrown.code === 'git-path-refused';
    if (!isOnesFault || items.length === 1) throw thrown;
  }
  const results: PublishResult[] = [];
  for (const item of items)
    results.push(
      await publishTogether([item], options, signal).then(
        ([result]) => result!,
        (thrown): PublishResult => {
          if (signal.aborted) throw thrown;
          return { kind: 'failed', thrown };
        },
      ),
    );
  return results;
}

async function publishTogether(
  items: readonly PublishItem[],
  options: PublisherOptions,
  signal: AbortSignal,
): Promise<readonly PublishResult[]> {
  const [first] = items;
  const remote = await options.remoteOf(first!, signal);
  const sinceMs = Math.min(...items.map(({ detection }) => Date.parse(detection.spec.detectedAt))) - skewMs;
  let plan: BatchPlan | undefined;
  let mayBePushed = items.some((item) => item.mayBePushed);
  const { commit } = await options.git.commit(
    {
      remote,
      message: '',
      author: authorOf(first!),
      async render(folder, history) {
        const pushed = async () => byUid(await history.findCommits(detectionTrailer, sinceMs));
        const branch = cached(folder);
        plan = await planBatch(items, branch, mayBePushed ? await pushed() : new Map());
        const isAllThere = [...plan.results.values()].some(({ kind }) => kind === 'present');
        // Existing files without a known commit may be our own: search the history.
        if (isAllThere && !mayBePushed) plan = await planBatch(items, branch, await pushed());
        // The branch may have been moved by another process of this installation.
        mayBePushed = true;
        const { changes, written } = plan;
        const trailers = written.map(({ detection }) => ({ key: detectionTrailer, value: trailerValue(detection) }));
        return { changes, message: written.length === 0 ? 'nothing' : commitMessage(written), trailers };
      },
    },
    signal,
  );
  const { results, written } = plan!;
  if (commit !== undefined) options.metrics.committed(written.length);
  return items.map((item): PublishResult => {
    const known = results.get(item);
    if (known) return known;
    if (commit === undefined)
      throw new GitError('git-failed', `nothing was committed for ${keyOf(item.detection)} although files changed`);
    return { kind: 'committed', commit, files: pathsOf(item), isRecovered: false };
  });
}

function byUid(found: readonly { readonly commit: string; readonly values: readonly string[] }[]): Map<string, string> {
  // Newest first: the oldest commit of a detection is the one that added it.
  return new Map(found.flatMap(({ commit, values }) => values.map((value) => [uidOfTrailer(value), commit])));
}

/** Caches reads for a plan that is made twice. */
function cached(files: BranchFiles): BranchFiles {
  const read = new Map<string, Promise<string | undefined>>();
  return {
    read(path) {
      const known = read.get(path) ?? files.read(path);
      read.set(path, known);
      return known;
    },
  };
}
