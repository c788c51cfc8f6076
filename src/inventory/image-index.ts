import { type ImageReference, parseReference, renderRepository, withDefaultTag } from '../image/index.ts';
import type { ContainerImage } from './workload-images.ts';

/** A workload that uses an image. */
export interface ImageUser {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One container that runs an image, by source identity. */
export interface ImageUse {
  readonly user: ImageUser;
  readonly container: string;
  readonly reference: ImageReference;
}

interface ImageTotals {
  /** Distinct repositories with their tag or digest. */
  readonly totalImages: number;
  /** Workloads that run at least one image. */
  readonly totalResources: number;
}

/**
 * Which image runs where. Updated workload by workload; a look-up is a map access. Images that cannot be parsed are
 * skipped.
 */
export class ImageIndex {
  private readonly users = new Map<string, readonly ImageUse[]>();
  private readonly repositories = new Map<string, Set<ImageUse>>();
  private readonly baseNames = new Map<string, Set<ImageUse>>();
  private readonly images = new Map<string, number>();
  /** Parsed once per text: a thousand replicas of one image share one reference. */
  private readonly references = new Map<string, { readonly value: ImageReference; count: number }>();

  /** Sets the images of one workload. */
  put(user: ImageUser, images: readonly ContainerImage[]): void {
    this.remove(user);
    const uses = images.flatMap(({ container, source }): ImageUse[] => {
      const reference = this.intern(source);
      return reference ? [{ user, container, reference }] : [];
    });
    if (uses.length === 0) return;
    this.users.set(idOf(user), uses);
    for (const use of uses) {
      addTo(this.repositories, renderRepository(use.reference), use);
      addTo(this.baseNames, baseNameOf(use.reference), use);
      const image = imageOf(use.reference);
      this.images.set(image, (this.images.get(image) ?? 0) + 1);
    }
  }

  remove(user: ImageUser): void {
    const id = idOf(user);
    for (const use of this.users.get(id) ?? []) {
      removeFrom(this.repositories, renderRepository(use.reference), use);
      removeFrom(this.baseNames, baseNameOf(use.reference), use);
      const image = imageOf(use.reference);
      const left = (this.images.get(image) ?? 1) - 1;
      if (left === 0) this.images.delete(image);
      else this.images.set(image, left);
      this.release(use.reference);
    }
    this.users.delete(id);
  }

  /** Same registry and repository, with any tag. */
  usesOfRepository(reference: ImageReference): readonly ImageUse[] {
    return [...(this.repositories.get(renderRepository(reference)) ?? [])];
  }

  /** Same last part of the path, in any registry. */
  usesOfBaseName(reference: ImageReference): readonly ImageUse[] {
    return [...(this.baseNames.get(baseNameOf(reference)) ?? [])];
  }

  /** Same repository and the same tag, or digest where one is named. */
  usesOfImage(reference: ImageReference): readonly ImageUse[] {
    const image = imageOf(reference);
    return this.usesOfRepository(reference).filter((use) => imageOf(use.reference) === image);
  }

  /** All uses, workload by workload. */
  *uses(): Generator<ImageUse> {
    for (const uses of this.users.values()) yield* uses;
  }

  get totals(): ImageTotals {
    return { totalImages: this.images.size, totalResources: this.users.size };
  }

  private intern(text: string): ImageReference | undefined {
    const known = this.references.get(text);
    if (known) {
      known.count++;
      return known.value;
    }
    let value: ImageReference;
    try {
      value = withDefaultTag(parseReference(text));
    } catch {
      return undefined;
    }
    this.references.set(text, { value, count: 1 });
    this.texts.set(value, text);
    return value;
  }

  private readonly texts = new WeakMap<ImageReference, string>();

  private release(reference: ImageReference): void {
    const text = this.texts.get(reference)!;
    const known = this.references.get(text)!;
    if (--known.count === 0) this.references.delete(text);
  }
}

const idOf = ({ kind, namespace, name }: ImageUser) => `${kind}/${namespace}/${name}`;
const baseNameOf = ({ path }: ImageReference) => path.slice(path.lastIndexOf('/') + 1);
const imageOf = (reference: ImageReference) =>
  `${renderRepository(reference)}${reference.digest === undefined ? `:${reference.tag}` : `@${reference.digest}`}`;

function addTo(index: Map<string, Set<ImageUse>>, key: string, use: ImageUse): void {
  const uses = index.get(key);
  if (uses) uses.add(use);
  else index.set(key, new Set([use]));
}

function removeFrom(index: Map<string, Set<ImageUse>>, key: string, use: ImageUse): void {
  const uses = index.get(key);
  if (uses?.delete(use) && uses.size === 0) index.delete(key);
}
