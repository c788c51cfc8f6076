import type { ImageDetected, ImageResourcePolicy, LastDetected } from '../api/index.ts';
import { errorMessage } from '../base/index.ts';
import { type ImageReference, isDigest, isTag, parseReference } from '../image/index.ts';
import { ecrHostOf } from './ecr-host.ts';
import { CreateError } from './errors.ts';

type Fields = Pick<ImageDetected['spec'], 'imageName' | 'imageTag' | 'imageDigest' | 'fullImageName'> &
  Partial<Pick<ImageDetected['spec'], 'registry' | 'repository' | 'tagPrefix'>>;

const imageName = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/;
const prefix = /^[A-Za-z0-9_.-]{0,128}$/;

/**
 * Checks every field that reaches a template against the grammar of image references, so that no field can add a line
 * or a key to a manifest. The schema of the kind has the same rules; objects stored before that schema are checked only
 * here.
 */
export function checkDetectionFields(spec: Fields): ImageReference {
  const refuse = (field: string, why: string) => new CreateError('create-image-invalid', `spec.${field}: ${why}`);
  let reference: ImageReference;
  try {
    reference = parseReference(spec.fullImageName);
  } catch (thrown) {
    throw refuse('fullImageName', errorMessage(thrown));
  }
  if (!isTag(spec.imageTag)) throw refuse('imageTag', 'it is not a tag');
  if (!isDigest(spec.imageDigest)) throw refuse('imageDigest', 'it is not a digest');
  if (!imageName.test(spec.imageName) || spec.imageName.length > 255)
    throw refuse('imageName', 'it is not the name of an image');
  if (reference.tag !== spec.imageTag || reference.digest !== undefined)
    throw refuse('fullImageName', `it does not end with the tag ${spec.imageTag} of spec.imageTag`);
  if (spec.tagPrefix !== undefined && !prefix.test(spec.tagPrefix))
    throw refuse('tagPrefix', 'it has characters that no tag has');
  const written = spec.fullImageName.slice(0, -spec.imageTag.length - 1);
  if (spec.registry !== undefined && spec.repository !== undefined && written !== `${spec.registry}/${spec.repository}`)
    throw refuse('fullImageName', 'it does not begin with spec.registry and spec.repository');
  return reference;
}

/** `superseded`: the policy has since recorded another image of the same repository and prefix. */
type Confirmation = 'confirmed' | 'superseded' | 'unconfirmed';

/**
 * Whether the policy's status, which only detection writes, records exactly this image. Owner labels and references in
 * the object prove nothing: any client that can create the object can set them. Pure.
 */
export function confirmDetection(
  { spec }: Pick<ImageDetected, 'spec'>,
  policy: Pick<ImageResourcePolicy, 'spec' | 'status'>,
): Confirmation {
  const source = policy.status?.lastDetected ?? [];
  const entry = source.find((one) => isSameLineage(spec, one));
  if (!entry || !isRegistryOf(spec, policy)) return 'unconfirmed';
  if (entry.tag === spec.imageTag && entry.digest === spec.imageDigest) return 'confirmed';
  return Date.parse(entry.detectedAt) >= Date.parse(spec.detectedAt) ? 'superseded' : 'unconfirmed';
}

function isSameLineage(spec: ImageDetected['spec'], { repository, prefix = '' }: LastDetected): boolean {
  return (
    (spec.tagPrefix ?? '') === prefix &&
    spec.imageName === repository.replaceAll('/', '-') &&
    spec.fullImageName.endsWith(`/${repository}:${spec.imageTag}`)
  );
}

/** The record names no registry, so the registry of the detection must be the policy's. */
function isRegistryOf(
  { fullImageName, imageName: name, imageTag }: ImageDetected['spec'],
  { spec }: Pick<ImageResourcePolicy, 'spec'>,
) {
  const registry = fullImageName.slice(0, -imageTag.length - 1 - name.length - 1);
  if (spec.ociRepository) return registry === spec.ociRepository.registry;
  const { region, registryId, endpoint } = spec.ecrRepository ?? {};
  // A custom endpoint (private link, stand-in) has its own host names.
  if (endpoint !== undefined) return true;
  const host = ecrHostOf(registry);
  return host !== undefined && host.region === region && (registryId === undefined || host.account === registryId);
}
