/** When a request was sent and its answer came, by the clock of this machine. */
export interface Exchange {
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** What two clocks may differ by without anybody noticing. */
const toleratedMs = 2_000;

/**
 * How far the server's clock is ahead of this machine's, by the Date header of an answer; undefined without one. The
 * header has whole seconds, and nobody knows when on its way the answer was made: what can be explained by that is 0.
 */
export function clockOffset(date: string | null, { sentMs, receivedMs }: Exchange): number | undefined {
  const serverMs = Date.parse(date ?? '');
  if (Number.isNaN(serverMs)) return undefined;
  const least = serverMs - receivedMs;
  const most = serverMs + 1_000 - sentMs;
  if (least <= toleratedMs && most >= -toleratedMs) return 0;
  return Math.round((least + most) / 2);
}
