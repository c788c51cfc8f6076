const grouped = new Intl.NumberFormat('en-US');

/** 12345 → `12,345`. */
export const renderCount = (count: number): string => grouped.format(count);

/** For places with room for four characters: 12345 → `12k`. */
export function renderShortCount(count: number): string {
  if (count < 10_000) return grouped.format(count);
  if (count < 1_000_000) return `${Math.floor(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Decimal units, as registries show them: 226000000 → `226 MB`. */
export function renderBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // A value that would be printed as 1000 belongs to the next unit.
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${byteUnits[unit]}`;
}

/** How long something took: `340 ms`, `12 s`, `4 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function renderDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return twoUnits(seconds, [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ]);
}

function twoUnits(seconds: number, units: readonly (readonly [size: number, name: string])[]): string {
  const first = units.findIndex(([size]) => seconds >= size);
  const [size, name] = units[first]!;
  const rest = units[first + 1];
  const count = Math.floor(seconds / size);
  const left = rest ? Math.floor((seconds - count * size) / rest[0]) : 0;
  return left > 0 ? `${count} ${name} ${left} ${rest![1]}` : `${count} ${name}`;
}

/** How long ago, in one unit: `now`, `12 s`, `4 min`, `2 h`, `3 d`; a time to come is `in 4 min`. */
export function renderAge(thenMs: number, nowMs: number): string {
  const seconds = Math.round((nowMs - thenMs) / 1000);
  if (Math.abs(seconds) < 3) return 'now';
  const age = renderSpan(Math.abs(seconds));
  return seconds < 0 ? `in ${age}` : `${age} ago`;
}

function renderSpan(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)} h`;
  if (seconds < 365 * 86_400) return `${Math.floor(seconds / 86_400)} d`;
  return `${Math.floor(seconds / (365 * 86_400))} y`;
}

/** The exact time, in UTC as logs have it: `2026-11-18 19:40:46 UTC`. */
export const renderExact = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A share for people: 0.624 → `62 %`; what is not quite all is never shown as all. */
export function renderShare(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const percent = Math.min(100, Math.max(0, (part / whole) * 100));
  if (percent > 99 && percent < 100) return '99 %';
  if (percent > 0 && percent < 1) return '< 1 %';
  return `${Math.round(percent)} %`;
}

/** `1 image`, `2 images`. */
export const renderNoun = (count: number, noun: string, plural = `${noun}s`): string =>
  `${renderCount(count)} ${count === 1 ? noun : plural}`;
