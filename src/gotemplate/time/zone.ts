import { LRUCache } from 'lru-cache';

/** A time zone by its IANA name, or one that only has an offset. */
export interface Zone {
  readonly name: string;
  /** Seconds east of UTC at a moment (milliseconds), and what the zone is called then. */
  at(ms: number): { readonly offset: number; readonly abbreviation: string };
}

export const utc: Zone = { name: 'UTC', at: () => ({ offset: 0, abbreviation: 'UTC' }) };

export function fixedZone(name: string, offset: number): Zone {
  return { name, at: () => ({ offset, abbreviation: name }) };
}

const zones = new LRUCache<string, Zone>({ max: 100 });

/** The zone of that name; undefined when there is none. */
export function loadZone(name: string): Zone | undefined {
  if (name === '' || name === 'UTC') return utc;
  const known = zones.get(name);
  if (known) return known;
  try {
    const zone = ianaZone(name);
    zones.set(name, zone);
    return zone;
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function ianaZone(name: string): Zone {
  const parts = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    era: 'short',
    timeZoneName: 'short',
    ...parts,
  });
  return {
    name,
    at: (ms) => {
      const found = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
      const wall = new Date(0);
      const year = Number(found['year']);
      wall.setUTCFullYear(found['era'] === 'BC' ? 1 - year : year, Number(found['month']) - 1, Number(found['day']));
      wall.setUTCHours(Number(found['hour']), Number(found['minute']), Number(found['second']));
      const offset = Math.round((wall.getTime() - Math.floor(ms / 1000) * 1000) / 1000);
      return { offset, abbreviation: abbreviate(found['timeZoneName']!, name, offset) };
    },
  };
}

/** Abbreviations that the Unicode data do not have for English, of zones that are used a lot. */
const european: Readonly<Record<number, string>> = { 0: 'WET', 3600: 'CET', 7200: 'CEST', 10800: 'EEST' };
const others: Readonly<Record<string, string>> = {
  'Asia/Tokyo': 'JST',
  'Asia/Seoul': 'KST',
  'Asia/Kolkata': 'IST',
  'Asia/Shanghai': 'CST',
  'Asia/Hong_Kong': 'HKT',
};

function abbreviate(shown: string, zone: string, offset: number): string {
  if (!/^(?:GMT|UTC)[+-]/.test(shown)) return shown;
  if (others[zone]) return others[zone];
  if (
    zone.startsWith('Europe/') &&
    /^Europe\/(?:Amsterdam|Berlin|Brussels|Copenhagen|Madrid|Oslo|Paris|Prague|Rome|Stockholm|Vienna|Warsaw|Zurich)$/.test(
      zone,
    )
  ) {
    return european[offset] ?? numeric(offset);
  }
  if (zone === 'Europe/London') return 'BST';
  return numeric(offset);
}

/** Where a zone has no letters, its abbreviation is its offset: +03, -0330. */
function numeric(offset: number): string {
  const minutes = Math.abs(offset) / 60;
  const two = (n: number) => `${Math.trunc(n)}`.padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(minutes / 60)}${minutes % 60 === 0 ? '' : two(minutes % 60)}`;
}
