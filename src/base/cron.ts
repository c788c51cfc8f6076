import { Cron } from 'croner';
import { SupercargoError } from './errors.ts';
import { parseDurationMs } from './go/duration.ts';

/** When something is due, as cron writes it. */
export interface CronSchedule {
  /** The first due time after this one, in milliseconds since the epoch; undefined if there is none. */
  next(afterMs: number): number | undefined;
}

export class CronError extends SupercargoError {
  declare readonly code: 'cron-invalid';

  constructor(message: string) {
    super('cron-invalid', message);
  }
}

const nicknames: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);

/** What the five fields may consist of. The library takes more: seconds, years, `L`, `W`, `#` and dates. */
const field = /^(?:[0-9*?,/-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)+$/i;

/**
 * The five fields, nicknames, `@every 10m`, and `TZ=Europe/Berlin ` or `CRON_TZ=` before them, as Kubernetes and Kyverno
 * read them. Without a time zone, times are UTC.
 */
export function parseCron(text: string): CronSchedule {
  const { zone, schedule } = splitZone(text.trim());
  if (schedule.startsWith('@every ')) return everyOf(schedule.slice('@every '.length));
  const fields = schedule.split(/\s+/);
  const isWritten = fields.length === 5 && fields.every((part) => field.test(part));
  if (!isWritten && !nicknames.has(schedule))
    throw new CronError(`must have five fields, such as "0 3 * * *", or be @daily or @every 10m, not ${quote(text)}`);
  try {
    // For the library a question mark is the present, not any time.
    const cron = new Cron(schedule.replaceAll('?', '*'), { timezone: zone, paused: true });
    const next = (afterMs: number) => cron.nextRun(new Date(afterMs))?.getTime();
    // An unknown time zone is found out only now.
    next(0);
    return { next };
  } catch (thrown) {
    throw new CronError(`${quote(text)} is no schedule: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

const quote = (text: string) => JSON.stringify(text.slice(0, 100));

function splitZone(text: string): { readonly zone: string; readonly schedule: string } {
  const [, zone = 'UTC', schedule = text] = /^(?:CRON_TZ|TZ)=(\S*)\s+(.*)$/.exec(text) ?? [];
  return { zone: zone === '' ? 'UTC' : zone, schedule: schedule.trim() };
}

/** Whole seconds, at least one. */
function everyOf(text: string): CronSchedule {
  let ms: number;
  try {
    ms = parseDurationMs(text.trim());
  } catch (thrown) {
    throw new CronError(`@every: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  const seconds = Math.max(1, Math.floor(ms / 1000));
  return { next: (afterMs) => (Math.floor(afterMs / 1000) + seconds) * 1000 };
}
