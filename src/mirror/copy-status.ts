import { type MirroredImage, mirroredImages } from '../api/index.ts';
import type { Clock } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import { setCondition } from '../object/index.ts';

export type CopyStatus = NonNullable<MirroredImage['status']>;

/** Writes the status of an image. Ignores an image that was deleted or recreated meanwhile. */
export async function writeStatus(
  image: MirroredImage,
  changes: CopyStatus,
  { client, clock }: { readonly client: Pick<KubeClient, 'patch'>; readonly clock: Clock },
  signal: AbortSignal,
): Promise<MirroredImage> {
  const { name = '', uid } = image.metadata;
  const merged = { ...image.status, ...changes };
  const status = { ...changes, conditions: conditionsOf(merged, clock) };
  try {
    return await client.patch<MirroredImage>(
      mirroredImages,
      { name },
      { type: 'merge', body: { metadata: { uid }, status } },
      { subresource: 'status', fieldManager: 'supercargo-mirror', signal },
    );
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-not-found') && !isKubeError(thrown, 'kube-conflict')) throw thrown;
    return { ...image, status: merged };
  }
}

/** `kubectl wait --for=condition=Ready` waits for the copy. */
function conditionsOf({ phase = 'Pending', message, conditions }: CopyStatus, clock: Clock) {
  const ready = {
    type: 'Ready',
    status: phase === 'Copied' ? ('True' as const) : ('False' as const),
    reason: phase,
    message: message ?? '',
  };
  return setCondition(conditions, ready, clock.now());
}
