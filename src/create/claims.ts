/**
 * The lineages that this process works on. The phase in the cluster says the same, but the watch may deliver it after
 * the next detection.
 */
export class LineageClaims {
  private readonly holders = new Map<string, string>();

  /** Undefined if the claim was made; otherwise the holder. */
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
