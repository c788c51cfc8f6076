/**
 * The schedule of a CronJob: the five fields and the descriptors that Kubernetes takes, and no more. Scheduling
 * libraries accept seconds, years, `L` and `#`, which the real server refuses.
 */
const descriptors = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}
const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];

/** What is wrong with a schedule, in the server's words; undefined when it is valid. */
export function scheduleError(schedule: string): string | undefined {
  let spec = schedule;
  if (spec.startsWith('TZ=') || spec.startsWith('CRON_TZ=')) spec = spec.slice(spec.indexOf(' ') + 1).trim();
  if (spec.startsWith('@')) return descriptorError(spec);
  const parts = spec.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== 5) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  for (const [i, part] of parts.entries()) {
    for (const expression of part.split(',')) {
      const error = rangeError(expression, fields[i]!);
      if (error !== undefined) return error;
    }
  }
  return undefined;
}

function descriptorError(spec: string): string | undefined {
  if (descriptors.includes(spec)) return undefined;
  const every = '@every ';
  if (!spec.startsWith(every)) return `unrecognized descriptor: ${spec}`;
  const duration = spec.slice(every.length);
  if (/^[+]?((\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(duration)) return undefined;
  return `failed to parse duration ${spec}: time: invalid duration "${duration}"`;
}

function rangeError(expression: string, bounds: Bounds): string | undefined {
  const [range = '', step, ...moreSteps] = expression.split('/');
  const [low = '', high, ...moreHighs] = range.split('-');
  let start = bounds.min;
  let end = bounds.max;
  if (low !== '*' && low !== '?') {
    if (moreHighs.length > 0) return `too many hyphens: ${expression}`;
    const first = parseBound(low, bounds);
    if (typeof first === 'string') return first;
    const last = high === undefined ? first : parseBound(high, bounds);
    if (typeof last === 'string') return last;
    start = first;
    // `5/10` means from five to the end.
    end = high === undefined && step !== undefined ? bounds.max : last;
  }
  if (moreSteps.length > 0) return `too many slashes: ${expression}`;
  const stride = step === undefined ? 1 : parseBound(step, { min: 0, max: 0 });
  if (typeof stride === 'string') return stride;
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${expression}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${expression}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`;
  if (stride === 0) return `step of range should be a positive number: ${expression}`;
  return undefined;
}

function parseBound(text: string, { names, min }: Bounds): number | string {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named !== -1) return named + min;
  if (/^[+]?\d+$/.test(text)) return Number(text);
  if (/^-\d+$/.test(text)) return `negative number (${text}) not allowed: ${text}`;
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}
