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

/** What an image of a container asks for. */
export type DesiredCopy =
  | {
      readonly kind: 'copy';
      readonly field: ContainerImageField;
      readonly source: ImageReference;
      readonly copy: CopyName;
    }
  /** It is where copies go. */
  | { readonly kind: 'is-copy'; readonly field: ContainerImageField }
  /** No image, or one that has no place among the copies; it is left as it is. */
  | { readonly kind: 'refused'; readonly field: ContainerImageField; readonly reason: string };

/** How copies are named. It remembers nothing: who has a name under `basename` is decided by the copies there are. */
export type CopyNames = Pick<ImageMapper, 'map' | 'isCopy'>;

export function createCopyNames(options: Pick<MapperOptions, 'target' | 'mapping'>): CopyNames {
  const { isCopy } = createImageMapper(options);
  return { isCopy, map: (source) => createImageMapper(options).map(source) };
}

/** A pod with more images than this is no pod that anybody runs; the rest of them is left alone. */
const maxImages = 100;

/** Finds for each container where the copy of its image is or will be. */
export function desiredCopies(fields: readonly ContainerImageField[], names: CopyNames): readonly DesiredCopy[] {
  return fields.map((field, i): DesiredCopy => {
    try {
      if (names.isCopy(withDefaultTag(parseReference(field.image)))) return { kind: 'is-copy', field };
      // A copy in another registry moves from its source, not from the copy: the source stays known.
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
 * The tag that a copy gets in the registry. What was named by digest has one made of the digest: `app:1@sha256:…` must
 * not move the tag of the copy of `app:1`, and what has no tag is garbage to many registries.
 */
export const copyTag = ({ tag, digest }: CopyName): Tag => (digest === undefined ? tag : tagOfDigest(digest));

/** What a container gets in place of its image. A source that is named by digest stays named by it. */
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
