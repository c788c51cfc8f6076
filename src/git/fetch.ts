import { GitError } from './errors.ts';
import type { Session } from './session.ts';

/** The base of a new commit. */
export interface Base {
  /** The parent commit; undefined in an empty repository. */
  readonly commit: string | undefined;
  /** False when the branch must be created. */
  readonly branchExists: boolean;
}

/**
 * Fetches the tip of the branch without file contents, and with as little history as needed: since a time, or the last
 * commit alone. A branch that does not exist yet starts at the remote's default branch, if there is one.
 */
export async function fetchBase(session: Session, sinceMs?: number): Promise<Base> {
  const quick = await fetchKnown(session, sinceMs);
  if (quick !== undefined) return { commit: quick, branchExists: true };
  const tips = await listTips(session);
  const tip = tips.get(session.remoteRef);
  if (tip !== undefined) {
    await fetchTip(session, {
      tip,
      refspec: `+${session.remoteRef}:${session.trackingRef}`,
      ref: session.trackingRef,
      sinceMs,
    });
    return { commit: tip, branchExists: true };
  }
  await session.git('forgetting a branch that is gone', ['update-ref', '-d', session.trackingRef]);
  const head = tips.get('HEAD');
  if (head === undefined) return { commit: undefined, branchExists: false };
  const ref = 'refs/remotes/origin/HEAD-commit';
  await fetchTip(session, { tip: head, refspec: `+HEAD:${ref}`, ref, sinceMs });
  return { commit: head, branchExists: false };
}

/**
 * Fetches a branch that existed last time without listing refs first: one round trip less in which others may push.
 * Undefined when that fails for any reason.
 */
async function fetchKnown(session: Session, sinceMs: number | undefined): Promise<string | undefined> {
  const { remoteRef, trackingRef } = session;
  const completeSinceMs = session.cache.completeSince.get(trackingRef);
  const reachesFarEnough = sinceMs === undefined || (completeSinceMs !== undefined && completeSinceMs <= sinceMs);
  if (!reachesFarEnough || (await session.resolve(trackingRef)) === undefined) return undefined;
  const boundMs = boundOf(session);
  const args = [...fetchArguments, depthOf(boundMs), 'origin', `+${remoteRef}:${trackingRef}`];
  const { exitCode } = await session.attempt('fetching the branch', args);
  if (exitCode !== 0) return undefined;
  if (boundMs !== undefined) session.cache.completeSince.set(trackingRef, boundMs);
  return session.resolve(trackingRef);
}

/**
 * How far back a fetch must reach. Git has one list of shallow commits for the whole clone, so the bound of one branch
 * must not cut off another. There is always a bound: a merge of an old branch would otherwise bring the whole history.
 */
function boundOf({ cache }: Session, wantedMs?: number): number | undefined {
  const boundMs = Math.min(wantedMs ?? Number.POSITIVE_INFINITY, ...cache.completeSince.values());
  return Number.isFinite(boundMs) ? boundMs : undefined;
}

const depthOf = (boundMs: number | undefined) =>
  boundMs === undefined ? '--depth=1' : `--shallow-since=${Math.floor(boundMs / 1000)} +0000`;

const fetchArguments = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--filter=blob:none'];

/** Fetches the history of an existing branch back to a time. Does nothing when that history is already complete. */
export async function deepen(session: Session, sinceMs: number): Promise<void> {
  const { remoteRef, trackingRef: ref, cache } = session;
  if ((cache.completeSince.get(ref) ?? Number.POSITIVE_INFINITY) <= sinceMs) return;
  await fetchTip(session, { tip: '', refspec: `+${remoteRef}:${ref}`, ref, sinceMs });
}

/** The commits of HEAD and the branch on the remote. */
async function listTips(session: Session): Promise<ReadonlyMap<string, string>> {
  const listed = await session.git('reading the branches', ['ls-remote', '--', 'origin', 'HEAD', session.remoteRef]);
  const lines = listed.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => line.split('\t').reverse() as [string, string]));
}

interface Tip {
  readonly tip: string;
  readonly refspec: string;
  readonly ref: string;
  readonly sinceMs: number | undefined;
}

async function fetchTip(session: Session, { tip, refspec, ref, sinceMs }: Tip): Promise<void> {
  // The present history is enough, unless more is requested: it may have to reach further back than last time.
  if (sinceMs === undefined && (await session.resolve(ref)) === tip) return;
  const boundMs = boundOf(session, sinceMs);
  const depths = boundMs === undefined ? [depthOf(undefined)] : [depthOf(boundMs), depthOf(undefined)];
  session.cache.completeSince.delete(ref);
  for (const depth of depths) {
    const args = [...fetchArguments, depth, 'origin', refspec];
    const output = await session.attempt('fetching the branch', args);
    if (output.exitCode === 0) {
      if (boundMs !== undefined) session.cache.completeSince.set(ref, boundMs);
      return;
    }
    // No commit is newer than the time: fetch only the last one.
    const isNothingYounger =
      depth.startsWith('--shallow-since') &&
      /no commits selected|error processing shallow info|shallow-since/i.test(output.stderr);
    if (!isNothingYounger) throw session.failed('fetching the branch', args, output);
  }
  throw new GitError('git-failed', 'fetching the branch: the remote sent no history');
}
