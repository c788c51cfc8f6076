import type { ChangedView, ImageId, ShownKind } from './protocol.ts';
import type { Visibility } from './visibility.ts';

/** What changed since it was last taken: views and images, each with the objects that changed. */
export interface Changes {
  readonly views: ReadonlyMap<ChangedView, Scopes>;
  /** Undefined if there are too many. */
  readonly images: ReadonlyMap<ImageId, Scopes> | undefined;
}

const maxImages = 500;
const maxNamespaces = 100;

/** Where objects changed, by kind: who may list none of them learns nothing of the change. Bounded. */
class Scopes {
  /** Undefined for too many namespaces. Empty name for cluster-scoped objects. */
  private readonly kinds = new Map<ShownKind, Set<string> | undefined>();

  /** False if there are too many namespaces to know them all. */
  add(kind: ShownKind, namespace: string): boolean {
    if (!this.kinds.has(kind)) this.kinds.set(kind, new Set());
    const known = this.kinds.get(kind);
    if (known === undefined) return false;
    known.add(namespace);
    if (known.size <= maxNamespaces) return true;
    this.kinds.set(kind, undefined);
    return false;
  }

  /** Of a kind with too many namespaces it is true for everyone who may list some. */
  isSeenBy(sees: Visibility, alsoSees: (kind: ShownKind, namespace: string) => boolean = () => true): boolean {
    for (const [kind, namespaces] of this.kinds) {
      if (namespaces === undefined && sees.seesAny(kind)) return true;
      for (const namespace of namespaces ?? [])
        if (sees.sees(kind, namespace) && alsoSees(kind, namespace)) return true;
    }
    return false;
  }
}

/** Merges changes until they are taken. Bounded. */
export class ChangeLog {
  private views = new Map<ChangedView, Scopes>();
  private images: Map<ImageId, Scopes> | undefined = new Map();

  view(view: ChangedView, kind: ShownKind, namespace: string): void {
    scopesIn(this.views, view).add(kind, namespace);
  }

  image(id: ImageId, kind: ShownKind, namespace: string): void {
    if (!this.images) return;
    // The name of an image must reach nobody who does not see it: with too many namespaces no image is named.
    const isKnown = scopesIn(this.images, id).add(kind, namespace);
    if (!isKnown || this.images.size > maxImages) this.images = undefined;
  }

  /** Undefined if nothing changed. */
  take(): Changes | undefined {
    if (this.views.size === 0) return undefined;
    const taken = { views: this.views, images: this.images };
    this.views = new Map();
    this.images = new Map();
    return taken;
  }
}

function scopesIn<K>(map: Map<K, Scopes>, key: K): Scopes {
  const known = map.get(key);
  if (known) return known;
  const scopes = new Scopes();
  map.set(key, scopes);
  return scopes;
}
