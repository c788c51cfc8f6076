/** Report objects whose contents changed. The index adds them; the writer removes them when they are written. */
export class ReportChanges {
  /** By key, the time of the first change that is not written yet. */
  private readonly times = new Map<string, number>();
  private listener: (key: string) => void = () => {};

  add(key: string, sinceMs: number): void {
    if (!this.times.has(key)) this.times.set(key, sinceMs);
    this.listener(key);
  }

  /** Called for every change from now on. The writer is the only listener. */
  listen(listener: (key: string) => void): void {
    this.listener = listener;
  }

  delete(key: string): void {
    this.times.delete(key);
  }

  sinceMs(key: string): number | undefined {
    return this.times.get(key);
  }

  keys(): Iterable<string> {
    return this.times.keys();
  }

  get size(): number {
    return this.times.size;
  }

  get oldestMs(): number | undefined {
    let oldest: number | undefined;
    for (const sinceMs of this.times.values()) if (oldest === undefined || sinceMs < oldest) oldest = sinceMs;
    return oldest;
  }
}
