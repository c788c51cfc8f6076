import type { Clock, Logger } from '../base/index.ts';
import type { ResourceType } from '../kube/index.ts';
import { renderGvr } from '../object/index.ts';

/** All informers of a start fail within this time. */
const gatherMs = 1_000;

/** Logs kinds that the cluster does not serve: one line with the remedy for all that fail together. */
export function createMissingKindsLog(log: Logger, clock: Pick<Clock, 'after'>): (type: ResourceType) => void {
  const waiting = new Set<string>();
  return (type) => {
    if (waiting.size === 0)
      clock.after(gatherMs, () => {
        log.warn(
          'this cluster does not serve kinds that are needed: apply manifests/crds, or run `supercargo install --apply`; they are looked for again and again',
          { kinds: [...waiting].sort() },
        );
        waiting.clear();
      });
    waiting.add(renderGvr(type));
  };
}
