/** Shared memory of two threads: when the event loop of one of them last turned. */
interface Heartbeat {
  readonly memory: SharedArrayBuffer;
  beat(): void;
}

/** Nanoseconds of the machine's monotonic clock: the same in all threads, unlike `performance.now()`. */
type NowNs = () => bigint;
const systemNowNs: NowNs = () => process.hrtime.bigint();

export function createHeartbeat(nowNs: NowNs = systemNowNs): Heartbeat {
  const memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  const cell = new BigInt64Array(memory);
  const beat = () => void Atomics.store(cell, 0, nowNs());
  beat();
  return { memory, beat };
}

/** Milliseconds since the last beat; callable in any thread. */
export function sinceBeatMs(memory: SharedArrayBuffer, nowNs: NowNs = systemNowNs): number {
  return Number(nowNs() - Atomics.load(new BigInt64Array(memory), 0)) / 1e6;
}
