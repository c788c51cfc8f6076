import type { WatchedKind } from './feed.ts';
import type { ShownKind } from './protocol.ts';

export const shownKinds: readonly ShownKind[] = [
  'pods',
  'jobs',
  'policyreports',
  'imagedetecteds',
  'mirroredimages',
  'events',
  'vulnerabilityreports',
];

/** What one user may see: the kinds that they may list, everywhere or in some namespaces. */
export class Visibility {
  constructor(
    readonly everywhere: ReadonlySet<ShownKind>,
    readonly namespaces: ReadonlyMap<ShownKind, ReadonlySet<string>>,
    /** All that is read was read with the user's own identity. */
    private readonly isOwn = false,
  ) {}

  /** An object of the namespace; an empty one for a cluster-scoped object. */
  sees(kind: ShownKind, namespace: string): boolean {
    return this.everywhere.has(kind) || (namespace !== '' && this.namespaces.get(kind)?.has(namespace) === true);
  }

  seesAny(kind: ShownKind): boolean {
    return this.everywhere.has(kind) || (this.namespaces.get(kind)?.size ?? 0) > 0;
  }

  /** Whatever changes an image: the time of its last change is one for all namespaces and kinds. */
  get seesAllImages(): boolean {
    return this.isOwn || shownKinds.every((kind) => kind === 'events' || this.everywhere.has(kind));
  }

  /** Equal for users who see the same. */
  get key(): string {
    this.rendered ??= JSON.stringify(
      shownKinds
        .filter((kind) => !this.everywhere.has(kind))
        .map((kind) => [kind, [...(this.namespaces.get(kind) ?? [])].sort()]),
    );
    return this.rendered;
  }

  private rendered: string | undefined;
}

export const seesAll = new Visibility(new Set(shownKinds), new Map());

/** What is read with the user's own identity: all kinds but those that it may not list. */
export function readableOf(watched: readonly WatchedKind[]): Visibility {
  const refused = new Set(
    watched.flatMap(({ type, failing }) => (failing?.code === 'kube-forbidden' ? [type.resource] : [])),
  );
  return refused.size === 0
    ? seesAll
    : new Visibility(new Set(shownKinds.filter((kind) => !refused.has(kind))), new Map(), true);
}
