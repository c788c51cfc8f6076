import type { Clock } from '../base/index.ts';
import { type CopyName, renderReference } from '../image/index.ts';
import { orAborted, withDeadline } from './deadline.ts';

/** The digest that a copy has in the backup registry now; undefined when it is not there. */
export type HeadCopy = (copy: CopyName, signal: AbortSignal) => Promise<string | undefined>;

/**
 * Whether a copy can be pulled. A reference is rewritten only after a look at the registry itself: what the cluster
 * remembers may have been deleted there. Nothing is remembered; but whoever asks while a look is under way shares it, so
 * that a hundred workloads at once cost one.
 */
export interface CopyPresence {
  exists(copy: CopyName, digest: string, signal: AbortSignal): Promise<boolean>;
}

export interface CopyPresenceOptions {
  readonly head: HeadCopy;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

export function createCopyPresence({ head, clock, timeoutMs = 5_000 }: CopyPresenceOptions): CopyPresence {
  const looks = new Map<string, Promise<string | undefined>>();
  const look = (name: string, copy: CopyName) => {
    const underWay = looks.get(name);
    if (underWay) return underWay;
    // Bound to no asker: one that gives up must not take the answer from the others.
    const begun = withDeadline({ clock, ms: timeoutMs, signal: new AbortController().signal }, (signal) =>
      head(copy, signal),
    ).finally(() => looks.delete(name));
    looks.set(name, begun);
    return begun;
  };
  return {
    async exists(copy, digest, signal) {
      return (await orAborted(look(renderReference(copy), copy), signal)) === digest;
    },
  };
}
