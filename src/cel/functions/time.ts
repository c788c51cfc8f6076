import { quoteGo } from '../../base/index.ts';
import type { FunctionDecl } from '../environment.ts';
import { durationType, intType, stringType, timestampType } from '../types.ts';
import { type CelDuration, CelError, type CelTimestamp } from '../values/values.ts';
import { declare, member } from './declare.ts';

/** A moment as the clocks of a zone show it. */
interface Local {
  readonly date: Date;
  readonly nanos: number;
}

const dayMs = 86_400_000;

const fields: Readonly<Record<string, { readonly id: string; readonly read: (local: Local) => number }>> = {
  getFullYear: { id: 'timestamp_to_year', read: ({ date }) => date.getUTCFullYear() },
  getMonth: { id: 'timestamp_to_month', read: ({ date }) => date.getUTCMonth() },
  getDayOfYear: { id: 'timestamp_to_day_of_year', read: ({ date }) => dayOfYear(date) },
  getDayOfMonth: { id: 'timestamp_to_day_of_month', read: ({ date }) => date.getUTCDate() - 1 },
  getDate: { id: 'timestamp_to_day_of_month_1_based', read: ({ date }) => date.getUTCDate() },
  getDayOfWeek: { id: 'timestamp_to_day_of_week', read: ({ date }) => date.getUTCDay() },
  getHours: { id: 'timestamp_to_hours', read: ({ date }) => date.getUTCHours() },
  getMinutes: { id: 'timestamp_to_minutes', read: ({ date }) => date.getUTCMinutes() },
  getSeconds: { id: 'timestamp_to_seconds', read: ({ date }) => date.getUTCSeconds() },
  getMilliseconds: { id: 'timestamp_to_milliseconds', read: ({ nanos }) => Math.trunc(nanos / 1e6) },
};

const units: Readonly<Record<string, { readonly id: string; readonly nanos: bigint }>> = {
  getHours: { id: 'duration_to_hours', nanos: 3_600_000_000_000n },
  getMinutes: { id: 'duration_to_minutes', nanos: 60_000_000_000n },
  getSeconds: { id: 'duration_to_seconds', nanos: 1_000_000_000n },
  getMilliseconds: { id: 'duration_to_milliseconds', nanos: 1_000_000n },
};

function dayOfYear(date: Date): number {
  const first = new Date(date);
  first.setUTCMonth(0, 1);
  return Math.round((date.getTime() - first.getTime()) / dayMs);
}

const utc = ({ seconds, nanos }: CelTimestamp): Local => ({ date: new Date(seconds * 1000), nanos });

/** In a zone: a name of the time zone database, or hours and minutes east of Greenwich. */
function inZone({ seconds, nanos }: CelTimestamp, zone: string): Local | CelError {
  const offset = zone.includes(':') ? numericOffset(zone) : namedOffset(zone, seconds);
  return offset instanceof CelError ? offset : { date: new Date((seconds + offset) * 1000), nanos };
}

function numericOffset(zone: string): number | CelError {
  const [hours = '', minutes = ''] = [zone.slice(0, zone.indexOf(':')), zone.slice(zone.indexOf(':') + 1)];
  for (const part of [hours, minutes]) {
    if (!/^[+-]?\d+$/.test(part)) {
      return new CelError(`strconv.Atoi: parsing ${quoteGo(part)}: invalid syntax`);
    }
  }
  const size = zone.startsWith('-') ? Number(hours) * 60 - Number(minutes) : Number(hours) * 60 + Number(minutes);
  return size * 60;
}

/**
 * Names of the database are told apart by case, as files are; here only the name that a zone goes by is known. Others
 * must begin each part with a capital.
 */
function isWrittenAsInDatabase(zone: string, known: string): boolean {
  if (zone.toLowerCase() === known.toLowerCase()) return zone === known;
  return zone.split('/').every((part) => /^[A-Z]/.test(part));
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** Zones are few; what is more than the database has comes from an attack. */
const maxFormats = 1000;

function namedOffset(zone: string, seconds: number): number | CelError {
  // The API server's own zone is that of its container.
  if (zone === '' || zone === 'UTC' || zone === 'Local') return 0;
  if (zone.includes('..') || /^[/\\]/.test(zone)) return new CelError('time: invalid location name');
  if (zone.includes('\0')) return new CelError('invalid argument');
  let format = formats.get(zone);
  if (!format) {
    try {
      format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
      if (!isWrittenAsInDatabase(zone, format.resolvedOptions().timeZone)) throw new RangeError(zone);
    } catch {
      return new CelError(`unknown time zone ${zone}`);
    }
    if (formats.size >= maxFormats) formats.clear();
    formats.set(zone, format);
  }
  const name = format.formatToParts(new Date(seconds * 1000)).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes = '0', rest = '0'] = /GMT([+-])(\d+)(?::(\d+))?(?::(\d+))?/.exec(name) ?? [];
  if (sign === undefined) return 0;
  return (Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)) * (sign === '-' ? -1 : 1);
}

export const timeFunctions: readonly FunctionDecl[] = Object.entries(fields).map(([name, { id, read }]) => {
  const unit = units[name];
  return declare(
    name,
    member(id, [timestampType], intType, (time: CelTimestamp) => read(utc(time))),
    member(`${id}_with_tz`, [timestampType, stringType], intType, (time: CelTimestamp, zone: string) => {
      const local = inZone(time, zone);
      return local instanceof CelError ? local : read(local);
    }),
    ...(unit ? [member(unit.id, [durationType], intType, ({ nanos }: CelDuration) => Number(nanos / unit.nanos))] : []),
  );
});
