import type { ChangedView, ImageId } from './protocol.ts';

/** What changed since it was last taken: views with the namespaces concerned, and images. */
export interface Changes {
  /** The namespaces of each view; `*` if there are too many. Empty name for cluster-scoped objects. */
  readonly views: ReadonlyMap<ChangedView, ReadonlySet<string>>;
  /** Undefined if there are too many. */
  readonly images: ReadonlySet<ImageId> | undefined;
}

const maxImages = 500;
const maxNamespaces = 100;

/** Merges changes until they are taken. Bounded. */
export class ChangeLog {
  private views = new Map<ChangedView, Set<string>>();
  private images: Set<ImageId> | undefined = new Set();

  view(view: ChangedView, namespace: string): void {
    const known = this.views.get(view);
    if (!known) this.views.set(view, new Set([namespace]));
    else if (known.size < maxNamespaces) known.add(namespace);
    else known.add('*');
  }

  image(id: ImageId): void {
    if (this.images && this.images.size >= maxImages) this.images = undefined;
    this.images?.add(id);
  }

  /** Undefined if nothing changed. */
  take(): Changes | undefined {
    if (this.views.size === 0) return undefined;
    const taken = { views: this.views, images: this.images };
    this.views = new Map();
    this.images = new Set();
    return taken;
  }
}
