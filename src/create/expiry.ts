import { expiresInMs, type ImageDetected, imagesDetected, ownerLabel } from '../api/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';

/** Milliseconds until our detection expires; undefined if it is kept because of its policy or its owner. */
export function leftMs(detection: ImageDetected, installation: string, nowMs: number): number | undefined {
  return detection.metadata.labels?.[ownerLabel] === installation ? expiresInMs(detection, nowMs) : undefined;
}

/** Deletes only the object. Commits stay in Git, and the policy's status keeps what was detected. */
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
