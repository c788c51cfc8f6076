import type { Clock, Logger } from '../base/index.ts';
import type { LastingFailure, ResourceType } from '../kube/index.ts';
import { renderGvr } from '../object/index.ts';

/** All informers of a start fail within this time. */
const gatherMs = 1_000;

const texts: Readonly<Record<LastingFailure, string>> = {
  'kube-not-found':
    'this cluster does not serve kinds that are needed: apply manifests/crds, or run `supercargo install --apply`; they are looked for again and again',
  'kube-forbidden':
    'the rights to read these kinds are missing, so what is written in them has no effect until they are granted: apply the roles of this version, with its chart or `supercargo install --apply`; what was read before stays in force',
};

/** Logs kinds that the cluster does not serve or lets nobody read: one line with the remedy for all that fail together. */
export function createUnreadableKindsLog(
  log: Logger,
  clock: Pick<Clock, 'after'>,
): (type: ResourceType, code: LastingFailure) => void {
  const waiting: Readonly<Record<LastingFailure, Set<string>>> = {
    'kube-not-found': new Set(),
    'kube-forbidden': new Set(),
  };
  return (type, code) => {
    const kinds = waiting[code];
    if (kinds.size === 0)
      clock.after(gatherMs, () => {
        log.warn(texts[code], { kinds: [...kinds].sort() });
        kinds.clear();
      });
    kinds.add(renderGvr(type));
  };
}
