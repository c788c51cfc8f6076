import { expiresInMs, type ImageDetected, imagesDetected, ownerLabel } from '../api/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';

/** Milliseconds until a detection of ours goes; undefined for one that stays, because of its policy or its owner. */
export function leftMs(detection: ImageDetected, installation: string, nowMs: number): number | undefined {
  return detection.metadata.labels?.[ownerLabel] === installation ? expiresInMs(detection, nowMs) : undefined;
}

/** The object alone goes: what was committed stays in Git, and the policy remembers what it detected. */
export async function removeExpired(
  client: Pick<KubeClient, 'delete'>,
  { metadata }: ImageDetected,
  signal: AbortSignal,
): Promise<void> {
  const { name = '', namespace, uid } = metadata;
  try {
    const preconditions = uid === undefined ? {} : { uid };
    await client.delete(imagesDetected, { name, namespace }, { preconditions, signal });
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-not-found') && !isKubeError(thrown, 'kube-conflict')) throw thrown;
  }
}
