import { durationOf } from '../pattern/index.ts';
import { isOrdered, type Order } from './operator.ts';

interface DurationPair {
  readonly key: bigint;
  readonly value: bigint;
}

/**
 * Both sides in nanoseconds when at least one is a duration written as text; the other may be a number of seconds.
 * The text `0` alone does not count as a duration. Undefined when they cannot be compared as durations.
 */
export function durationPair(key: unknown, value: unknown): DurationPair | undefined {
  const keyText = textDuration(key);
  const valueText = textDuration(value);
  if (keyText === undefined && valueText === undefined) return undefined;
  const both = { key: keyText ?? secondsOf(key), value: valueText ?? secondsOf(value) };
  return both.key === undefined || both.value === undefined ? undefined : { key: both.key, value: both.value };
}

function textDuration(side: unknown): bigint | undefined {
  return typeof side === 'string' && side !== '0' ? durationOf(side) : undefined;
}

/** Whole seconds: a fraction is dropped. */
function secondsOf(side: unknown): bigint | undefined {
  if (typeof side === 'bigint') return BigInt.asIntN(64, side * nanosPerSecond);
  if (typeof side !== 'number' || !Number.isFinite(side)) return undefined;
  return BigInt.asIntN(64, BigInt(Math.trunc(side)) * nanosPerSecond);
}

const nanosPerSecond = 1_000_000_000n;

/** Seconds as the floating-point number that durations are compared by. */
export function seconds(nanos: bigint): number {
  return Number(nanos / nanosPerSecond) + Number(nanos % nanosPerSecond) / 1e9;
}

/** The old Duration operators: numbers are seconds, texts must be durations, anything else never holds. */
export function compareDurations(order: Order, key: unknown, value: unknown): boolean {
  const keyNanos = typeof key === 'string' ? durationOf(key) : secondsOf(key);
  const valueNanos = typeof value === 'string' ? durationOf(value) : secondsOf(value);
  return keyNanos !== undefined && valueNanos !== undefined && isOrdered(order, keyNanos, valueNanos);
}
