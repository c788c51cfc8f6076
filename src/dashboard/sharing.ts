import type { ContainerImage } from '../inventory/index.ts';
import type { Interner } from './fields.ts';

/**
 * What is kept already of the texts of an object, so that projections of other kinds keep no second copy: the same name
 * stands in a Deployment, its pods, a MirroredImage and a report. Whatever is not found is kept as it is.
 */
export interface Sharing {
  /** Few and frequent texts, such as namespaces and nodes. */
  readonly intern: Interner;
  /** The name of an image. */
  readonly name: (text: string) => string;
  /** The images of a workload. */
  readonly images: (images: readonly ContainerImage[]) => readonly ContainerImage[];
  /** A digest of the image that is named so. */
  readonly digest: (image: string, digest: string) => string;
  /** `namespace/name` of a workload or pod. */
  readonly key: (kind: string, key: string) => string;
}
