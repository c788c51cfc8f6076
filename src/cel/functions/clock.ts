import type { FunctionDecl } from '../environment.ts';
import type { CelLibrary } from '../library.ts';
import { durationType, opaqueType, stringType, timestampType } from '../types.ts';
import { timestampOf } from '../values/time.ts';
import type { CelDuration, CelTimestamp } from '../values/values.ts';
import { declare, member } from './declare.ts';

export const clockType = opaqueType('kyverno.time');

function now({ host }: CelLibrary) {
  const ms = host.now();
  const seconds = Math.floor(ms / 1000);
  return timestampOf(seconds, Math.floor((ms - seconds * 1000) * 1e6));
}

const nanosPerSecond = 1_000_000_000n;
/** From the first day of the year 1, from which Go counts, to 1970. */
const secondsSinceYearOne = 62_135_596_800n;

/** Rounded down to a multiple of the duration; as it is for one that is not positive. */
function truncate(_: CelLibrary, time: CelTimestamp, { nanos: step }: CelDuration) {
  if (step <= 0n) return time;
  const since = (BigInt(time.seconds) + secondsSinceYearOne) * nanosPerSecond + BigInt(time.nanos);
  const rest = time.nanos - Number((since % step) % nanosPerSecond);
  const borrowed = rest < 0 ? 1 : 0;
  return timestampOf(
    time.seconds - Number((since % step) / nanosPerSecond) - borrowed,
    rest + borrowed * Number(nanosPerSecond),
  );
}

/** The minute of a moment as a schedule that comes once a year. */
function toCron(_: CelLibrary, { seconds }: CelTimestamp): string {
  const date = new Date(seconds * 1000);
  return [date.getUTCMinutes(), date.getUTCHours(), date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay()].join(
    ' ',
  );
}

export const clockFunctions: readonly FunctionDecl[] = [
  declare('now', member('kyverno_time_now', [clockType], timestampType, now)),
  declare(
    'truncate',
    member('kyverno_time_truncate', [clockType, timestampType, durationType], timestampType, truncate),
  ),
  declare('toCron', member('kyverno_time_to_cron', [clockType, timestampType], stringType, toCron)),
];
