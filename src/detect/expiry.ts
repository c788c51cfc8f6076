import { expiresInMs, type ImageDetected, imagesDetected, ownerLabel } from '../api/index.ts';
import type { Clock } from '../base/index.ts';
import type { Reconcile } from '../controller/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';

interface ExpiryOptions {
  readonly client: Pick<KubeClient, 'delete'>;
  readonly detectionOf: (key: string) => ImageDetected | undefined;
  readonly installation: string;
  readonly clock: Clock;
}

/** Deletes our expired detections. Only needed where creation, which otherwise does it, does not run. */
export function createExpiry({ client, detectionOf, installation, clock }: ExpiryOptions): Reconcile {
  return async (key, signal) => {
    const detection = detectionOf(key);
    if (detection?.metadata.labels?.[ownerLabel] !== installation) return {};
    const leftMs = expiresInMs(detection, clock.now());
    if (leftMs === undefined) return {};
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    const { name = '', namespace, uid } = detection.metadata;
    try {
      const preconditions = uid === undefined ? {} : { uid };
      await client.delete(imagesDetected, { name, namespace }, { preconditions, signal });
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-not-found') && !isKubeError(thrown, 'kube-conflict')) throw thrown;
    }
    return {};
  };
}
