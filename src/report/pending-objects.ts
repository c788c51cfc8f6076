import { onAbort } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { KindWatch } from './kind-watch.ts';

interface PendingObject {
  readonly watch: KindWatch;
  readonly key: string;
  readonly object: KubeObject;
  /** When the first change that is not evaluated yet was seen. */
  readonly sinceMs: number;
}

/** Objects that changed and wait for evaluation: oldest change first, each in its latest form only. */
export class PendingObjects {
  private readonly byWatch = new Map<string, PendingObject>();
  private waiting: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  get size(): number {
    return this.byWatch.size;
  }

  get oldestMs(): number | undefined {
    for (const { sinceMs } of this.byWatch.values()) return sinceMs;
    return undefined;
  }

  put(watch: KindWatch, key: string, object: KubeObject, nowMs: number): void {
    const id = idOf(watch, key);
    const sinceMs = this.byWatch.get(id)?.sinceMs ?? nowMs;
    // An existing key keeps its place.
    this.byWatch.set(id, { watch, key, object, sinceMs });
  }

  has(watch: KindWatch, key: string): boolean {
    return this.byWatch.has(idOf(watch, key));
  }

  delete(watch: KindWatch, key: string): void {
    if (this.byWatch.delete(idOf(watch, key))) this.wake();
  }

  deleteAll(watch: KindWatch): void {
    for (const [id, pending] of this.byWatch) if (pending.watch === watch) this.byWatch.delete(id);
    this.wake();
  }

  shift(): PendingObject | undefined {
    for (const [id, pending] of this.byWatch) {
      this.byWatch.delete(id);
      this.wake();
      return pending;
    }
    return undefined;
  }

  /** Resolves when there is room for more, or the signal aborts. */
  async untilRoom(signal?: AbortSignal): Promise<void> {
    while (this.byWatch.size >= this.limit && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        const unlink = onAbort(signal, () => resolve());
        this.waiting.push(() => {
          unlink();
          resolve();
        });
      });
    }
  }

  private wake(): void {
    if (this.byWatch.size >= this.limit || this.waiting.length === 0) return;
    const woken = this.waiting;
    this.waiting = [];
    for (const resolve of woken) resolve();
  }
}

const idOf = ({ type }: KindWatch, key: string) => `${type.group}/${type.version}/${type.resource} ${key}`;
