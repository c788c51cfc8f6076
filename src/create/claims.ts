/**
 * Which lineages this process works on. The phase in the cluster says so too, but a watch tells of it later than the
 * next detection may come.
 */
export class LineageClaims {
  private readonly holders = new Map<string, string>();

  /** Undefined when the claim is made; else who holds it. */
  take(lineage: string, key: string): string | undefined {
    const holder = this.holders.get(lineage);
    if (holder !== undefined && holder !== key) return holder;
    this.holders.set(lineage, key);
    return undefined;
  }

  release(lineage: string, key: string): void {
    if (this.holders.get(lineage) === key) this.holders.delete(lineage);
  }
}
