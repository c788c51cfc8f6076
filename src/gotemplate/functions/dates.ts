import { DurationError, parseDuration, parseTime, TimeError } from '../../base/index.ts';
import { CallFailure } from '../errors.ts';
import { parseIntegerText } from '../numbers.ts';
import type { Run } from '../run.ts';
import { addDuration, floorDiv, fromSeconds, fromWall, GoDuration, GoTime, zeroTimeNs } from '../time/go-time.ts';
import { fixedZone, loadZone, utc, type Zone } from '../time/zone.ts';
import { integerOf, Num, type Value } from '../values.ts';
import { define, defineRunning, type FunctionSpec } from './signature.ts';

const secondNs = 1_000_000_000n;

export const dateFunctions: readonly FunctionSpec[] = [
  ...define({
    'dateModify(string, time)': modify,
    'date_modify(string, time)': modify,
    'mustDateModify(string, time)': mustModify,
    'must_date_modify(string, time)': mustModify,
    'unixEpoch(time)': (time: GoTime) => `${time.unixSeconds}`,
    'duration(any)': duration,
  }),
  ...defineRunning({
    'now()': now,
    'date(string, any)': (run, layout: string, date: Value) => inZone(run, layout, date, 'Local'),
    'dateInZone(string, any, string)': inZone,
    'date_in_zone(string, any, string)': inZone,
    'htmlDate(any)': (run, date: Value) => inZone(run, '2006-01-02', date, 'Local'),
    'htmlDateInZone(any, string)': (run, date: Value, zone: string) => inZone(run, '2006-01-02', date, zone),
    'toDate(string, string)': (run, layout: string, text: string) => {
      try {
        return toDate(run, layout, text);
      } catch (thrown) {
        if (thrown instanceof CallFailure) return new GoTime(zeroTimeNs);
        throw thrown;
      }
    },
    'mustToDate(string, string)': toDate,
    'ago(any)': (run, date: Value) => {
      const passed = now(run).ns - (momentOf(run, date) ?? now(run)).ns;
      return new GoDuration(roundTo(passed, secondNs)).toString();
    },
    'durationRound(any)': (run, value: Value) => durationRound(durationOf(run, value)),
  }),
];

function now(run: Run): GoTime {
  return new GoTime(BigInt(Math.floor(run.env.now())) * 1_000_000n, localZone(run));
}

const localZone = (run: Run): Zone => loadZone(run.env.timeZone) ?? utc;

/** A time, or seconds since the epoch; undefined for anything else. */
function momentOf(run: Run, value: Value): GoTime | undefined {
  if (value instanceof GoTime) return value;
  const seconds =
    value instanceof Num && value.type !== 'int64' && value.type !== 'int32' ? undefined : integerOf(value);
  return seconds === undefined ? undefined : fromSeconds(seconds, localZone(run));
}

function inZone(run: Run, layout: string, date: Value, zoneName: string): string {
  const zone = zoneName === 'Local' ? localZone(run) : (loadZone(zoneName) ?? utc);
  return (momentOf(run, date) ?? now(run)).in(zone).format(layout);
}

function toDate(run: Run, layout: string, text: string): GoTime {
  try {
    const { ns, offset, zone, zoneName } = parseTime(layout, text);
    if (zone === 'utc') return new GoTime(ns);
    if (zone === 'offset') return new GoTime(ns, zoneOfOffset(run, ns, offset, zoneName));
    const local = localZone(run);
    const seconds = floorDiv(ns, secondNs);
    const there = fromWall(Number(seconds) * 1000, Number(ns - seconds * secondNs), local);
    if (zone === 'none' || there.wall.abbreviation === zoneName) return there;
    return new GoTime(ns, fixedZone(zoneName, offset));
  } catch (thrown) {
    if (thrown instanceof TimeError) throw new CallFailure(thrown.message);
    throw thrown;
  }
}

/** The local zone where it has that offset at the time, else a zone that has nothing but the offset. */
function zoneOfOffset(run: Run, ns: bigint, offset: number, name: string): Zone {
  const local = localZone(run);
  const there = local.at(Number(floorDiv(ns, 1_000_000n)));
  if (there.offset === offset && (name === '' || there.abbreviation === name)) return local;
  return offset === 0 && name === '' && local === utc
    ? utc
    : fixedZone(name === '' ? offsetName(offset) : name, offset);
}

function offsetName(offset: number): string {
  const minutes = Math.trunc(Math.abs(offset) / 60);
  const two = (n: number) => `${n}`.padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}${two(minutes % 60)}`;
}

function modify(change: string, time: GoTime): GoTime {
  try {
    return mustModify(change, time);
  } catch (thrown) {
    if (thrown instanceof CallFailure) return time;
    throw thrown;
  }
}

function mustModify(change: string, time: GoTime): GoTime {
  try {
    return addDuration(time, change);
  } catch (thrown) {
    if (thrown instanceof DurationError) throw new CallFailure(`time: ${thrown.message}`);
    throw thrown;
  }
}

function duration(value: Value): string {
  let seconds = 0n;
  if (typeof value === 'string') seconds = parseIntegerText(value, 10) ?? 0n;
  else if (value instanceof Num && value.type === 'int64') seconds = BigInt(value.value);
  return new GoDuration(BigInt.asIntN(64, seconds * secondNs)).toString();
}

function durationOf(run: Run, value: Value): bigint {
  if (value instanceof GoTime) return now(run).ns - value.ns;
  if (value instanceof Num && value.type === 'int64') return BigInt(value.value);
  if (typeof value !== 'string') return 0n;
  try {
    return parseDuration(value);
  } catch (thrown) {
    if (thrown instanceof DurationError) return 0n;
    throw thrown;
  }
}

const hour = 3600n * secondNs;
const units: readonly (readonly [bigint, string])[] = [
  [hour * 24n * 365n, 'y'],
  [hour * 24n * 30n, 'mo'],
  [hour * 24n, 'd'],
  [hour, 'h'],
  [60n * secondNs, 'm'],
  [secondNs, 's'],
];

/** The largest unit that the duration is longer than, and how many of it. */
function durationRound(ns: bigint): string {
  const size = ns < 0n ? -ns : ns;
  const found = units.find(([unit]) => size > unit);
  return found ? `${size / found[0]}${found[1]}` : '0s';
}

/** Half away from zero. */
function roundTo(ns: bigint, unit: bigint): bigint {
  const rest = ns % unit;
  const size = rest < 0n ? -rest : rest;
  const down = ns - rest;
  return size * 2n < unit ? down : down + (ns < 0n ? -unit : unit);
}
