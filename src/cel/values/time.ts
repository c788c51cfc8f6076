import { parseDuration, quoteGo } from '../../base/index.ts';
import { maxInt, minInt } from './numbers.ts';
import { CelDuration, CelError, CelTimestamp } from './values.ts';

const minSeconds = -62135596800;
const maxSeconds = 253402300799;
const second = 1_000_000_000n;

const timestampOverflow = new CelError('timestamp overflow');
const intOverflow = new CelError('integer overflow');

const rfc3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

export function timestampOf(seconds: number, nanos: number, offsetMinutes = 0): CelTimestamp | CelError {
  return seconds < minSeconds || seconds > maxSeconds
    ? timestampOverflow
    : new CelTimestamp(seconds, nanos, offsetMinutes);
}

export function parseTimestamp(text: string): CelTimestamp | CelError {
  const found = rfc3339.exec(text);
  if (!found) return new CelError(`invalid RFC 3339 timestamp ${quoteGo(text)}`);
  const [, year, month, day, hour, minute, sec, fraction = '', sign, hours, minutes] = found;
  const failed = new CelError(`type conversion error from 'string' to 'google.protobuf.Timestamp'`);
  // `T` and `Z` in small letters pass the grammar, but not the parser behind it.
  if (text[10] === 't' || text.endsWith('z') || sec === '60') return failed;
  const offset = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCDate() !== Number(day)) return failed;
  const ofDay = Number(hour) * 3600 + Number(minute) * 60 + Number(sec);
  const seconds = date.getTime() / 1000 + ofDay - offset * 60;
  return timestampOf(seconds, Number(fraction.slice(0, 9).padEnd(9, '0')), offset);
}

/** RFC 3339 with as many digits of the fraction as there are. */
export function renderTimestamp({ seconds, nanos, offsetMinutes }: CelTimestamp): string {
  const local = new Date((seconds + offsetMinutes * 60) * 1000).toISOString();
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return local.slice(0, 19).padStart(19, '0') + fraction + zoneText(offsetMinutes);
}

function zoneText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'Z';
  const size = Math.abs(offsetMinutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offsetMinutes < 0 ? '-' : '+'}${two(Math.trunc(size / 60))}:${two(size % 60)}`;
}

export function durationOf(nanos: bigint): CelDuration | CelError {
  return nanos < minInt || nanos > maxInt ? intOverflow : new CelDuration(nanos);
}

export function parseCelDuration(text: string): CelDuration | CelError {
  try {
    return new CelDuration(parseDuration(text));
  } catch {
    return new CelError(`type conversion error from 'string' to 'google.protobuf.Duration'`);
  }
}

/** Seconds with a decimal fraction, as a float would have it. */
export function renderSeconds({ nanos }: CelDuration): string {
  const whole = nanos / second;
  const rest = Number(nanos % second);
  const value = Number(whole) + rest / 1e9;
  if (Math.abs(value) < 1e21 && !String(value).includes('e')) return `${value}s`;
  const text = Math.abs(value)
    .toFixed(9)
    .replace(/\.?0+$/, '');
  return `${value < 0 ? '-' : ''}${text}s`;
}

export function addDuration(time: CelTimestamp, nanos: bigint): CelTimestamp | CelError {
  const total = BigInt(time.seconds) * second + BigInt(time.nanos) + nanos;
  const rest = ((total % second) + second) % second;
  return timestampOf(Number((total - rest) / second), Number(rest), time.offsetMinutes);
}

export function subtractTimes(a: CelTimestamp, b: CelTimestamp): CelDuration | CelError {
  return durationOf(BigInt(a.seconds - b.seconds) * second + BigInt(a.nanos - b.nanos));
}
