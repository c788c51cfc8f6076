import { errorMessage } from '../base/index.ts';
import {
  type CopyName,
  createImageMapper,
  type ImageMapper,
  type ImageReference,
  type MapperOptions,
  parseReference,
  renderReference,
  type Tag,
  tagOfDigest,
  withDefaultTag,
} from '../image/index.ts';
import type { ContainerImageField } from './workload.ts';

/** The desired copy of a container's image. */
type DesiredCopy =
  | {
      readonly kind: 'copy';
      readonly field: ContainerImageField;
      readonly source: ImageReference;
      readonly copy: CopyName;
    }
  /** The image is in the target registry already. */
  | { readonly kind: 'is-copy'; readonly field: ContainerImageField }
  /** Not a valid image, or one without a valid copy name; it is left unchanged. */
  | { readonly kind: 'refused'; readonly field: ContainerImageField; readonly reason: string };

/** How copies are named. Stateless: the existing copies decide which source owns a name under `basename`. */
export type CopyNames = Pick<ImageMapper, 'map' | 'isCopy'>;

export function createCopyNames(options: Pick<MapperOptions, 'target' | 'mapping'>): CopyNames {
  const { isCopy } = createImageMapper(options);
  return { isCopy, map: (source) => createImageMapper(options).map(source) };
}

/** Limit for images of one pod; the rest is left unchanged. */
const maxImages = 100;

/** Finds for each container where the copy of its image is or will be. */
export function desiredCopies(fields: readonly ContainerImageField[], names: CopyNames): readonly DesiredCopy[] {
  return fields.map((field, i): DesiredCopy => {
    try {
      if (names.isCopy(withDefaultTag(parseReference(field.image)))) return { kind: 'is-copy', field };
      // A copy in another registry is copied from its source, not from the copy, so that the source stays known.
      const source = withDefaultTag(parseReference(field.origin ?? field.image));
      if (names.isCopy(source)) return { kind: 'is-copy', field };
      if (i >= maxImages)
        return { kind: 'refused', field, reason: `only ${maxImages} images of a workload are copied` };
      return { kind: 'copy', field, source, copy: names.map(source) };
    } catch (thrown) {
      return { kind: 'refused', field, reason: errorMessage(thrown) };
    }
  });
}

/**
 * The tag of a copy in the registry. A source with a digest gets a tag made of the digest: `app:1@sha256:…` must not
 * move the tag of the copy of `app:1`, and many registries garbage-collect untagged manifests.
 */
export const copyTag = ({ tag, digest }: CopyName): Tag => (digest === undefined ? tag : tagOfDigest(digest));

/** The image that replaces a container's image. A source with a digest keeps a digest. */
export function renderCopy(
  { source, copy }: { readonly source: ImageReference; readonly copy: CopyName },
  digest: string,
  pin: 'tag' | 'digest',
): string {
  const { registry, path, tag } = copy;
  if (source.digest === undefined && pin === 'tag') return renderReference({ registry, path, tag });
  const hasTag = source.digest === undefined || source.tag !== undefined;
  return `${renderReference(hasTag ? { registry, path, tag } : { registry, path })}@${digest}`;
}
