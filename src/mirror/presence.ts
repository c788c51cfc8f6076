import { type Clock, orAborted } from '../base/index.ts';
import { type CopyName, renderReference } from '../image/index.ts';
import { withDeadline } from './deadline.ts';

/** The digest that a copy has in the backup registry now; undefined when it does not exist. */
export type HeadCopy = (copy: CopyName, signal: AbortSignal) => Promise<string | undefined>;

/**
 * Whether a copy can be pulled. Asks the registry each time: a recorded copy may have been deleted there. Nothing is
 * cached, but concurrent callers share one request, so that a hundred workloads at once cost one.
 */
export interface CopyPresence {
  exists(copy: CopyName, digest: string, signal: AbortSignal): Promise<boolean>;
}

interface CopyPresenceOptions {
  readonly head: HeadCopy;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

export function createCopyPresence({ head, clock, timeoutMs = 5_000 }: CopyPresenceOptions): CopyPresence {
  const looks = new Map<string, Promise<string | undefined>>();
  const look = (name: string, copy: CopyName) => {
    const underWay = looks.get(name);
    if (underWay) return underWay;
    // Not bound to one caller's signal: a caller that gives up must not cancel the request for the others.
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
