/** By kind, then by `namespace/name`, as watches give it: no text is composed for an entry. */
export class KindMap<T> {
  private readonly kinds = new Map<string, Map<string, T>>();

  get(kind: string, key: string): T | undefined {
    return this.kinds.get(kind)?.get(key);
  }

  set(kind: string, key: string, value: T): void {
    const known = this.kinds.get(kind);
    if (known) known.set(key, value);
    else this.kinds.set(kind, new Map([[key, value]]));
  }

  delete(kind: string, key: string): void {
    const known = this.kinds.get(kind);
    if (known?.delete(key) && known.size === 0) this.kinds.delete(kind);
  }

  *values(): Generator<T> {
    for (const known of this.kinds.values()) yield* known.values();
  }
}
