import { parseTime, rfc3339Layout, TimeError } from '../../base/index.ts';
import { DurationError, parseDuration, renderDuration } from '../../object/index.ts';
import { invalid } from '../errors.ts';
import type { Run } from '../run.ts';
import { fromMilliseconds, type GoTime, isInRange, renderTime, truncateTime, wallClock } from './go-time.ts';
import { define, type FunctionSpec } from './signature.ts';

/** Kyverno's functions on times. The local time zone is UTC, as it is in a container. */
export const timeFunctions: readonly FunctionSpec[] = [
  define('time_now', [], now),
  define('time_now_utc', [], now),
  define('time_since', ['string', 'string', 'string'], (run, layout: string, from: string, to: string) => {
    const form = layout === '' ? rfc3339Layout : layout;
    const start = read(run, from, form);
    const end = to === '' ? fromMilliseconds(run.now()) : read(run, to, form);
    return renderDuration(between(start, end));
  }),
  define('time_add', ['string', 'string'], (run, time: string, duration: string) => {
    const { ns, offset } = read(run, time);
    return render({ ns: ns + readDuration(duration), offset });
  }),
  define('time_parse', ['string', 'string'], (run, layout: string, value: string) => {
    if (!isInt64(layout)) return render(read(run, value, layout));
    if (!isInt64(value)) throw invalid(`${JSON.stringify(value.slice(0, 50))} is not a number of seconds`);
    return render({ ns: BigInt(value.replace('+', '')) * 1_000_000_000n, offset: 0 });
  }),
  define('time_utc', ['string'], (run, time: string) => render({ ns: read(run, time).ns, offset: 0 })),
  define('time_to_cron', ['string'], (run, time: string) => {
    const wall = wallClock(read(run, time));
    const date = [wall.getUTCDate(), wall.getUTCMonth() + 1, wall.getUTCDay()];
    return [wall.getUTCMinutes(), wall.getUTCHours(), ...date].join(' ');
  }),
  define('time_diff', ['string', 'string'], (run, from: string, to: string) =>
    renderDuration(between(read(run, from), read(run, to))),
  ),
  define('time_before', ['string', 'string'], (run, a: string, b: string) => read(run, a).ns < read(run, b).ns),
  define('time_after', ['string', 'string'], (run, a: string, b: string) => read(run, a).ns > read(run, b).ns),
  define('time_between', ['string', 'string', 'string'], (run, time: string, start: string, end: string) => {
    const { ns } = read(run, time);
    const [first, last] = [read(run, start).ns, read(run, end).ns];
    return ns > first && ns < last;
  }),
  define('time_truncate', ['string', 'string'], (run, time: string, duration: string) =>
    render(truncateTime(read(run, time), readDuration(duration))),
  ),
];

function now(run: Run): string {
  return render(fromMilliseconds(run.now()));
}

function read(run: Run, text: string, layout = rfc3339Layout): GoTime {
  run.chargeText(8 * (text.length + layout.length));
  try {
    return parseTime(layout, text);
  } catch (thrown) {
    if (thrown instanceof TimeError) throw invalid(thrown.message, thrown);
    throw thrown;
  }
}

function readDuration(text: string): bigint {
  try {
    return parseDuration(text);
  } catch (thrown) {
    if (thrown instanceof DurationError) throw invalid(thrown.message, thrown);
    throw thrown;
  }
}

function render(time: GoTime): string {
  if (!isInRange(time)) throw invalid('the time is out of range');
  return renderTime(time);
}

const maxDuration = 2n ** 63n - 1n;
const minDuration = -(2n ** 63n);

/** A duration is an int64 of nanoseconds: some 292 years, and no more than that. */
function between(start: GoTime, end: GoTime): bigint {
  const difference = end.ns - start.ns;
  if (difference > maxDuration) return maxDuration;
  if (difference < minDuration) return minDuration;
  return difference;
}

function isInt64(text: string): boolean {
  if (!/^[+-]?\d{1,19}$/.test(text)) return false;
  const value = BigInt(text.replace('+', ''));
  return value <= maxDuration && value >= -maxDuration - 1n;
}
