const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** A connection that lived this long was a good one: the next failure starts from the first pause again. */
const goodAfterMs = 10_000;

export interface Reconnect {
  /** The pause before the next attempt. `livedMs`: how long the connection was open; 0 when it never was. */
  nextPause(livedMs: number): number;
}

/** Doubles up to 30 s; half of each pause is random, so that browsers do not return to a restarted server at once. */
export function createReconnect(random: () => number): Reconnect {
  let failures = 0;
  return {
    nextPause(livedMs) {
      if (livedMs >= goodAfterMs) failures = 0;
      const full = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
      failures = Math.min(failures + 1, 10);
      return full / 2 + (full / 2) * random();
    },
  };
}
