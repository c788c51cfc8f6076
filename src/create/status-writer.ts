import { type ImageDetected, imagesDetected } from '../api/index.ts';
import type { Clock } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import { semanticEqual } from '../object/index.ts';
import { type DetectionTransition, nextDetectionStatus } from './status.ts';

type WriteTransition = (
  detection: ImageDetected,
  step: DetectionTransition,
  signal: AbortSignal,
) => Promise<ImageDetected>;

const maxConflicts = 5;

/**
 * Writes a transition on top of the state it was decided on. If the object has changed, `processing` fails, because
 * another process may have claimed it. Results of finished work are written on top of the current state, unless that is
 * final.
 */
export function createStatusWriter(client: Pick<KubeClient, 'get' | 'patch'>, clock: Clock): WriteTransition {
  return async (detection, step, signal) => {
    let current = detection;
    for (let conflicts = 0; ; conflicts++) {
      const status = nextDetectionStatus(current, step, clock.now());
      if (semanticEqual(status, current.status ?? {})) return current;
      const { name = '', namespace, uid, resourceVersion } = current.metadata;
      const body = { metadata: { uid, resourceVersion }, status };
      try {
        return await client.patch<ImageDetected>(
          imagesDetected,
          { name, namespace },
          { type: 'merge', body },
          { subresource: 'status', fieldManager: 'supercargo-create', signal },
        );
      } catch (thrown) {
        if (isKubeError(thrown, 'kube-not-found')) return current;
        const isTaken = step.kind === 'processing' || step.kind === 'waiting';
        if (!isKubeError(thrown, 'kube-conflict') || isTaken || conflicts >= maxConflicts) throw thrown;
        const fresh = await freshOf(client, current, signal);
        if (!fresh || fresh.status?.phase === 'Completed') return fresh ?? current;
        current = fresh;
      }
    }
  };
}

/** The current version of the object; undefined if it was deleted or recreated. */
async function freshOf(
  client: Pick<KubeClient, 'get'>,
  { metadata }: ImageDetected,
  signal: AbortSignal,
): Promise<ImageDetected | undefined> {
  try {
    const { name = '', namespace } = metadata;
    const fresh = await client.get<ImageDetected>(imagesDetected, { name, namespace }, { signal });
    return fresh.metadata.uid === metadata.uid ? fresh : undefined;
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  }
}
