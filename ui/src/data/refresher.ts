import type { ReadonlySignal } from '@preact/signals';

export interface Refresher {
  /** What is shown may be out of date. */
  request(): void;
  stop(): void;
}

export interface RefresherOptions {
  /** Loads once; answers after how many milliseconds to try again, if it failed for a while. Throws when aborted. */
  readonly load: (signal: AbortSignal) => Promise<number | undefined>;
  /** Nothing is loaded while it is false: the tab is hidden. What was asked for then is loaded afterwards. */
  readonly isAllowed: ReadonlySignal<boolean>;
  readonly minPauseMs?: number;
}

/** Loads at most once at a time, and changes that come close together once. */
export function createRefresher({ load, isAllowed, minPauseMs = 500 }: RefresherOptions): Refresher {
  const ended = new AbortController();
  let isWanted = false;
  let isBusy = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function start(): void {
    if (isBusy || !isWanted || !isAllowed.peek() || ended.signal.aborted) return;
    isBusy = true;
    isWanted = false;
    load(ended.signal).then(pause, () => pause(undefined));
  }

  function pause(retryMs: number | undefined): void {
    if (ended.signal.aborted) return;
    if (retryMs !== undefined) isWanted = true;
    timer = setTimeout(() => {
      isBusy = false;
      start();
    }, retryMs ?? minPauseMs);
  }

  const unsubscribe = isAllowed.subscribe(() => start());
  return {
    request() {
      isWanted = true;
      start();
    },
    stop() {
      ended.abort();
      clearTimeout(timer);
      unsubscribe();
    },
  };
}
