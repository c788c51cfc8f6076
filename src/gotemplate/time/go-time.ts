import { parseDuration, renderDuration, rfc3339Layout } from '../../base/index.ts';
import { CallFailure } from '../errors.ts';
import { GoObject, int64, type Kind, type Value } from '../values.ts';
import { formatTime, monthNames, weekdayNames } from './format.ts';
import { utc, type Zone } from './zone.ts';

const secondNs = 1_000_000_000n;
/** The year 1, where Go's zero time is. */
export const zeroTimeNs = -62_135_596_800n * secondNs;

export interface Clock {
  readonly date: Date;
  readonly nanos: number;
  readonly offset: number;
  readonly abbreviation: string;
}

/** Go's time.Time: a moment, and the zone it is shown in. */
export class GoTime extends GoObject {
  readonly typeName = 'time.Time';
  readonly kind: Kind = 'struct';

  constructor(
    /** Nanoseconds since the Unix epoch. */
    readonly ns: bigint,
    readonly zone: Zone = utc,
  ) {
    super();
  }

  /** What a clock in the zone shows; the fields of `date` are to be read as UTC. */
  get wall(): Clock {
    const seconds = floorDiv(this.ns, secondNs);
    const ms = Number(seconds) * 1000;
    const { offset, abbreviation } = this.zone.at(ms);
    return { date: new Date(ms + offset * 1000), nanos: Number(this.ns - seconds * secondNs), offset, abbreviation };
  }

  get unixSeconds(): bigint {
    return floorDiv(this.ns, secondNs);
  }

  in(zone: Zone): GoTime {
    return new GoTime(this.ns, zone);
  }

  format(layout: string): string {
    return formatTime(this.wall, layout);
  }

  override toString(): string {
    return this.format('2006-01-02 15:04:05.999999999 -0700 MST');
  }

  /** The methods that templates use, with the types of their parameters. */
  readonly methods = methods;

  override call(method: string, args: readonly Value[]): Value {
    return implementations[method]!(this, args);
  }
}

export class GoDuration extends GoObject {
  readonly typeName = 'time.Duration';
  readonly kind: Kind = 'int64';
  readonly methods = { String: [], Seconds: [], Minutes: [], Hours: [] };

  constructor(readonly ns: bigint) {
    super();
  }

  override toString(): string {
    return renderDuration(this.ns);
  }

  override call(method: string): Value {
    if (method === 'String') return this.toString();
    return Number(this.ns) / { Seconds: 1e9, Minutes: 6e10, Hours: 3.6e12 }[method as 'Seconds'];
  }
}

/** A named integer such as time.Month, which prints its name. */
class Named extends GoObject {
  readonly kind: Kind = 'int';
  readonly methods = { String: [] };

  constructor(
    readonly typeName: string,
    readonly name: string,
  ) {
    super();
  }

  override toString(): string {
    return this.name;
  }

  override call(): Value {
    return this.name;
  }
}

type Method = (time: GoTime, args: readonly Value[]) => Value;

const implementations: Readonly<Record<string, Method>> = {
  Format: (time, [layout]) => time.format(layout as string),
  String: (time) => time.toString(),
  Unix: (time) => int64(time.unixSeconds),
  UnixMilli: (time) => int64(floorDiv(time.ns, 1_000_000n)),
  UnixMicro: (time) => int64(floorDiv(time.ns, 1000n)),
  UnixNano: (time) => int64(time.ns),
  UTC: (time) => time.in(utc),
  Year: (time) => time.wall.date.getUTCFullYear(),
  Month: (time) => new Named('time.Month', monthNames[time.wall.date.getUTCMonth()]!),
  Day: (time) => time.wall.date.getUTCDate(),
  Hour: (time) => time.wall.date.getUTCHours(),
  Minute: (time) => time.wall.date.getUTCMinutes(),
  Second: (time) => time.wall.date.getUTCSeconds(),
  Nanosecond: (time) => time.wall.nanos,
  Weekday: (time) => new Named('time.Weekday', weekdayNames[time.wall.date.getUTCDay()]!),
  YearDay: (time) => Number(time.format('002')),
  IsZero: (time) => time.ns === zeroTimeNs,
  AddDate: (time, args) => addDate(time, args.map(Number) as [number, number, number]),
  Before: (time, [other]) => time.ns < (other as GoTime).ns,
  After: (time, [other]) => time.ns > (other as GoTime).ns,
  Equal: (time, [other]) => time.ns === (other as GoTime).ns,
  Sub: (time, [other]) => new GoDuration(time.ns - (other as GoTime).ns),
};

const methods: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.keys(implementations).map((name) => [name, []])),
  Format: ['string'],
  AddDate: ['int', 'int', 'int'],
  Before: ['time.Time'],
  After: ['time.Time'],
  Equal: ['time.Time'],
  Sub: ['time.Time'],
};

function addDate(time: GoTime, [years, months, days]: [number, number, number]): GoTime {
  const { date, nanos } = time.wall;
  const moved = new Date(date);
  moved.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months, date.getUTCDate() + days);
  if (Number.isNaN(moved.getTime())) throw new CallFailure('the time is out of range');
  return fromWall(moved.getTime(), nanos, time.zone);
}

/** The moment at which clocks in the zone show the given time (milliseconds, as if it were UTC). */
export function fromWall(wallMs: number, nanos: number, zone: Zone): GoTime {
  const guess = zone.at(wallMs - zone.at(wallMs).offset * 1000).offset;
  const ms = wallMs - guess * 1000;
  return new GoTime(BigInt(Math.floor(ms / 1000)) * secondNs + BigInt(nanos), zone);
}

/** Adds a duration in Go's spelling; undefined when it is none. */
export function addDuration(time: GoTime, duration: string): GoTime {
  return new GoTime(time.ns + parseDuration(duration), time.zone);
}

export function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

export const fromSeconds = (seconds: number | bigint, zone: Zone): GoTime =>
  new GoTime(BigInt(seconds) * secondNs, zone);
export const renderRfc3339 = (time: GoTime): string => time.format(rfc3339Layout.replace('05', '05.999999999'));
