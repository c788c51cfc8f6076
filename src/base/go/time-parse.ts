import { SupercargoError } from '../errors.ts';
import { type LayoutPart, parseLayout } from './time-layout.ts';
import { zoneNameLength } from './time-zone-name.ts';

export const rfc3339Layout = '2006-01-02T15:04:05Z07:00';
const rfc3339Parts = parseLayout(rfc3339Layout);

/** A text that does not match its layout; the message is Go's. */
export class TimeError extends SupercargoError {}

export interface ParsedTime {
  /** Nanoseconds since the Unix epoch; as UTC where the text has no zone. */
  readonly ns: bigint;
  /** Seconds east of UTC. */
  readonly offset: number;
  /** The form of the zone in the text: none, UTC, an offset, an abbreviation. */
  readonly zone: 'none' | 'utc' | 'offset' | 'name';
  /** The abbreviation, if any. */
  readonly zoneName: string;
}

/** Parses a time by a Go layout. Missing elements default to the first of January of the year 0, midnight, UTC. */
export function parseTime(layout: string, value: string): ParsedTime {
  const parts = layout === rfc3339Layout ? rfc3339Parts : parseLayout(layout);
  const reader = new TimeReader(layout, value);
  parts.forEach((part, i) => {
    reader.readPart(part, parts[i + 1]);
  });
  return reader.finish();
}

const months = 'January February March April May June July August September October November December'.split(' ');
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const short = (names: readonly string[]) => names.map((name) => name.slice(0, 3));

class TimeReader {
  private rest: string;
  private year = 0;
  private month = -1;
  private day = -1;
  private yearDay = -1;
  private hour = 0;
  private minute = 0;
  private second = 0;
  private nanos = 0;
  private half: 'AM' | 'PM' | undefined;
  private isUtc = false;
  private offset: number | undefined;
  private zoneName = '';
  private element = '';

  constructor(
    private readonly layout: string,
    private readonly value: string,
  ) {
    this.rest = value;
  }

  readPart(part: LayoutPart, next: LayoutPart | undefined): void {
    this.element = elementText(part);
    this.read(part, next);
  }

  private read(part: LayoutPart, next: LayoutPart | undefined): void {
    switch (part.kind) {
      case 'text':
        this.text(part.text);
        return;
      case 'fraction':
        this.fraction(part.digits, part.isExact);
        return;
      case '2006':
        this.year = Number(this.take(/^\d.{3}/s, /^\d{4}$/));
        return;
      case '06': {
        const year = Number(this.take(/^../s, /^\d\d$/));
        this.year = year + (year >= 69 ? 1900 : 2000);
        return;
      }
      case 'January':
        this.month = this.name(months) + 1;
        return;
      case 'Jan':
        this.month = this.name(short(months)) + 1;
        return;
      case 'Monday':
        this.name(days);
        return;
      case 'Mon':
        this.name(short(days));
        return;
      case '1':
      case '01':
        this.month = this.number(part.kind === '01', 1, 12, 'month');
        return;
      case '_2':
        this.rest = this.rest.replace(/^ /, '');
        this.day = this.number(false, 0, 99, 'day');
        return;
      case '2':
      case '02':
        this.day = this.number(part.kind === '02', 0, 99, 'day');
        return;
      case '__2':
        this.rest = this.rest.replace(/^ {1,2}/, '');
        this.yearDay = Number(this.take(/^\d{1,3}/));
        return;
      case '002':
        this.yearDay = Number(this.take(/^\d{3}/));
        return;
      case '15':
        this.hour = this.number(false, 0, 23, 'hour');
        return;
      case '3':
      case '03':
        this.hour = this.number(part.kind === '03', 0, 12, 'hour');
        return;
      case '4':
      case '04':
        this.minute = this.number(part.kind === '04', 0, 59, 'minute');
        return;
      case '5':
      case '05':
        this.second = this.number(part.kind === '05', 0, 59, 'second');
        // Go reads a fraction even where the layout has none.
        if (next?.kind !== 'fraction' && /^[.,]\d/.test(this.rest)) this.fraction(0, false);
        return;
      case 'PM':
        this.half = this.take(/^(?:AM|PM)/) as 'AM' | 'PM';
        return;
      case 'pm':
        this.half = this.take(/^(?:am|pm)/).toUpperCase() as 'AM' | 'PM';
        return;
      case 'MST':
        this.namedZone();
        return;
      default:
        this.numericZone(part.kind);
    }
  }

  finish(): ParsedTime {
    if (this.rest !== '') throw this.bad(`extra text: ${JSON.stringify(this.rest.slice(0, 50))}`);
    if (this.half === 'PM' && this.hour < 12) this.hour += 12;
    else if (this.half === 'AM' && this.hour === 12) this.hour = 0;
    this.settleDay();
    const wall = new Date(0);
    wall.setUTCFullYear(this.year, this.month - 1, this.day);
    wall.setUTCHours(this.hour, this.minute, this.second);
    const ns = BigInt(wall.getTime()) * 1_000_000n + BigInt(this.nanos);
    const { zoneName } = this;
    if (this.isUtc) return { ns, offset: 0, zone: 'utc', zoneName };
    if (this.offset !== undefined) {
      return { ns: ns - BigInt(this.offset) * 1_000_000_000n, offset: this.offset, zone: 'offset', zoneName };
    }
    // Only GMT has an offset in its name, and Go shows it without changing the time.
    const gmt = /^GMT([+-]\d+)$/.exec(zoneName)?.[1];
    const zone = zoneName === '' ? 'none' : 'name';
    return { ns, offset: gmt === undefined ? 0 : Number(gmt) * 3600, zone, zoneName };
  }

  private settleDay(): void {
    if (this.yearDay >= 0) {
      const date = new Date(0);
      date.setUTCFullYear(this.year, 0, this.yearDay);
      if (this.yearDay < 1 || date.getUTCFullYear() !== this.year) throw this.bad('day-of-year out of range');
      const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()];
      if (this.month >= 0 && this.month !== month) throw this.bad('day-of-year does not match month');
      if (this.day >= 0 && this.day !== day) throw this.bad('day-of-year does not match day');
      this.month = month;
      this.day = day;
    }
    if (this.month < 0) this.month = 1;
    if (this.day < 0) this.day = 1;
    const last = new Date(0);
    last.setUTCFullYear(this.year, this.month, 0);
    if (this.day < 1 || this.day > last.getUTCDate()) throw this.bad('day out of range');
  }

  /** Any run of spaces in the layout matches any run of spaces, or none at the end. */
  private text(text: string): void {
    for (let i = 0; i < text.length; ) {
      if (text[i] === ' ') {
        if (this.rest !== '' && this.rest[0] !== ' ') throw this.cannotParse();
        while (text[i] === ' ') i++;
        this.rest = this.rest.replace(/^ +/, '');
      } else {
        if (this.rest[0] !== text[i]) throw this.cannotParse();
        this.rest = this.rest.slice(1);
        i++;
      }
    }
  }

  private name(names: readonly string[]): number {
    const lower = this.rest.slice(0, 10).toLowerCase();
    const index = names.findIndex((name) => lower.startsWith(name.toLowerCase()));
    if (index === -1) throw this.cannotParse();
    this.rest = this.rest.slice((names[index] as string).length);
    return index;
  }

  private number(isTwoDigits: boolean, min: number, max: number, what: string): number {
    const number = Number(this.take(isTwoDigits ? /^\d\d/ : /^\d\d?/));
    if (number < min || number > max) throw this.bad(`${what} out of range`);
    return number;
  }

  private fraction(digits: number, isExact: boolean): void {
    if (!isExact && !/^[.,]\d/.test(this.rest)) return;
    const text = isExact ? this.take(new RegExp(`^[.,]\\d{${digits}}`)) : this.take(/^[.,]\d+/);
    this.nanos = Number(text.slice(1, 10).padEnd(9, '0'));
  }

  private namedZone(): void {
    if (this.rest.startsWith('UTC')) {
      this.isUtc = true;
      this.rest = this.rest.slice(3);
      return;
    }
    const length = zoneNameLength(this.rest);
    if (length === 0) throw this.cannotParse();
    this.zoneName = this.rest.slice(0, length);
    this.rest = this.rest.slice(length);
  }

  private numericZone(kind: string): void {
    if (kind.startsWith('Z') && this.rest.startsWith('Z')) {
      this.isUtc = true;
      this.rest = this.rest.slice(1);
      return;
    }
    const form = kind.slice(1).replace(/\d\d/g, '(\\d\\d)');
    const found = new RegExp(`^([+-])${form}`).exec(this.rest);
    if (!found) throw this.cannotParse();
    const [hours = 0, minutes = 0, seconds = 0] = found.slice(2).map(Number);
    // Go allows offsets of 24 hours or 60 minutes.
    if (hours > 24 || minutes > 60 || seconds > 60) throw this.bad('time zone offset out of range');
    this.offset = ((hours * 60 + minutes) * 60 + seconds) * (found[1] === '-' ? -1 : 1);
    this.rest = this.rest.slice(found[0].length);
  }

  private take(shape: RegExp, check = shape): string {
    const found = shape.exec(this.rest)?.[0];
    if (found === undefined || !check.test(found)) throw this.cannotParse();
    this.rest = this.rest.slice(found.length);
    return found;
  }

  private cannotParse(): TimeError {
    const what = `cannot parse ${show(this.rest)} as ${show(this.element)}`;
    return new TimeError('time-invalid', `parsing time ${show(this.value)} as ${show(this.layout)}: ${what}`);
  }

  private bad(problem: string): TimeError {
    return new TimeError('time-invalid', `parsing time ${show(this.value)}: ${problem}`);
  }
}

const show = (text: string) => JSON.stringify(text.slice(0, 100));

function elementText(part: LayoutPart): string {
  if (part.kind === 'text') return part.text;
  return part.kind === 'fraction' ? `.${(part.isExact ? '0' : '9').repeat(part.digits)}` : part.kind;
}
