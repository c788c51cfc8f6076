import { type MirroredImage, mirroredImages, ownerLabel } from '../api/index.ts';
import { isSameRepository, parseReference, renderRepository } from '../image/index.ts';
import type { Informer, InformerFactory } from '../kube/index.ts';

const byCopy = 'copy-repository';
const byNamespace = 'namespace';

/** The MirroredImages of this installation; one shared informer. managedFields are dropped. */
export function mirroredImageInformer(informers: InformerFactory, installation: string): Informer<MirroredImage> {
  return informers.for<MirroredImage, MirroredImage>(mirroredImages, {
    labelSelector: `${ownerLabel}=${installation}`,
    projection: { name: 'mirrored-image', project: withoutManagers },
    indexes: {
      [byCopy]: (image) => repositoryOf(image.spec.copy),
      [byNamespace]: ({ spec }) => [...new Set((spec.pullSecrets ?? []).map(({ namespace }) => namespace))],
    },
  });
}

/** Images whose copies are in the same repository. */
export const imagesWithCopyIn = (informer: Informer<MirroredImage>, copy: Parameters<typeof renderRepository>[0]) =>
  informer.byIndex(byCopy, renderRepository(copy));

/** Images that workloads of a namespace requested. */
export const imagesOfNamespace = (informer: Informer<MirroredImage>, namespace: string) =>
  informer.byIndex(byNamespace, namespace);

/** The namespaces whose workloads requested the image; one empty name for an object written by hand. */
export const namespacesOfImage = ({ spec }: MirroredImage): readonly string[] =>
  spec.pullSecrets?.length ? [...new Set(spec.pullSecrets.map(({ namespace }) => namespace))] : [''];

/** True for an image of another source whose copies are, or were, where those of `request.source` would go. */
export function hasConflictingSource(
  other: MirroredImage,
  request: { readonly source: string; readonly copy: string },
): boolean {
  if (other.status?.digest === undefined) return false;
  try {
    return (
      isSameRepository(parseReference(other.spec.copy), parseReference(request.copy)) &&
      !isSameRepository(parseReference(other.spec.source), parseReference(request.source))
    );
  } catch {
    return false;
  }
}

export const conflictMessage = (copy: string, conflicting: string) =>
  `${copy} is the copy of ${conflicting}; two sources share a name under the mapping "basename": choose "path" or "flat"`;

function repositoryOf(reference: string): readonly string[] {
  try {
    return [renderRepository(parseReference(reference))];
  } catch {
    // Written by hand; the copy controller reports the error.
    return [];
  }
}

function withoutManagers(image: MirroredImage): MirroredImage {
  const { managedFields: _, ...metadata } = image.metadata;
  return { ...image, metadata };
}
