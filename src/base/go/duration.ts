import { SupercargoError } from '../errors.ts';

export class DurationError extends SupercargoError {}

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const maxNanos = 2n ** 63n;

/** Parses `1h30m`, `-1.5s`, `0` as Go's time.ParseDuration does, into nanoseconds. */
export function parseDuration(text: string): bigint {
  const [, sign, rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return 0n;
  const part = /(\d*)(?:\.(\d*))?([^\d.]*)/y;
  let nanos = 0n;
  if (rest === '') throw invalid(text);
  while (part.lastIndex < rest.length) {
    const [, whole = '', fraction = '', name = ''] = part.exec(rest)!;
    if (whole === '' && fraction === '') throw invalid(text);
    if (name === '') throw new DurationError('object-duration-invalid', `missing unit in duration ${quote(text)}`);
    const unit = units.get(name);
    if (unit === undefined) {
      throw new DurationError('object-duration-invalid', `unknown unit ${quote(name)} in duration ${quote(text)}`);
    }
    nanos += BigInt(whole || '0') * unit + fractionOf(fraction, unit);
    if (nanos > maxNanos) throw invalid(text);
  }
  if (sign === '-') return -nanos;
  if (nanos === maxNanos) throw invalid(text);
  return nanos;
}

/** The same in milliseconds, rounded up: a wait must not end early. */
export function parseDurationMs(text: string): number {
  return Math.ceil(Number(parseDuration(text)) / 1e6);
}

/** Formats nanoseconds as Go's Duration.String does. */
export function renderDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}\u00b5s`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`;
  const minutes = size / units.get('m')!;
  const seconds = `${decimal(size % units.get('m')!, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return `${sign}${hours === 0n ? '' : `${hours}h`}${minutes % 60n}m${seconds}`;
}

/** Computed in floating point as in Go: 0.3333333333333333333h is twenty minutes. */
function fractionOf(digits: string, unit: bigint): bigint {
  // Digits beyond int64 are dropped, as upstream.
  const kept = digits.slice(0, BigInt(digits.slice(0, 19) || '0') < maxNanos ? 19 : 18);
  return BigInt(Math.trunc(Number(kept) * (Number(unit) / 10 ** kept.length)));
}

function decimal(value: bigint, places: number): string {
  const text = value.toString().padStart(places + 1, '0');
  const fraction = text.slice(-places).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, -places) : `${text.slice(0, -places)}.${fraction}`;
}

const quote = (text: string) => JSON.stringify(text);
const invalid = (text: string) => new DurationError('object-duration-invalid', `invalid duration ${quote(text)}`);
