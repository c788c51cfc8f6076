import { type LayoutPart, parseLayout } from '../../base/index.ts';
import type { Clock } from './go-time.ts';

export const monthNames = 'January February March April May June July August September October November December'.split(
  ' ',
);
export const weekdayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** A time written by a Go layout. */
export function formatTime(clock: Clock, layout: string): string {
  return parseLayout(layout)
    .map((part) => formatPart(part, clock))
    .join('');
}

const pad = (value: number, width: number, filler = '0') => `${value}`.padStart(width, filler);

function formatPart(part: LayoutPart, clock: Clock): string {
  const { date } = clock;
  const hour12 = date.getUTCHours() % 12 || 12;
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'fraction':
      return formatFraction(part, clock.nanos);
    case '2006': {
      const year = date.getUTCFullYear();
      return year < 0 ? `-${pad(-year, 4)}` : pad(year, 4);
    }
    case '06':
      return pad(((date.getUTCFullYear() % 100) + 100) % 100, 2);
    case 'January':
      return monthNames[date.getUTCMonth()]!;
    case 'Jan':
      return monthNames[date.getUTCMonth()]!.slice(0, 3);
    case '1':
    case '01':
      return pad(date.getUTCMonth() + 1, part.kind.length);
    case 'Monday':
      return weekdayNames[date.getUTCDay()]!;
    case 'Mon':
      return weekdayNames[date.getUTCDay()]!.slice(0, 3);
    case '2':
    case '02':
      return pad(date.getUTCDate(), part.kind.length);
    case '_2':
      return pad(date.getUTCDate(), 2, ' ');
    case '002':
      return pad(yearDay(date), 3);
    case '__2':
      return pad(yearDay(date), 3, ' ');
    case '15':
      return pad(date.getUTCHours(), 2);
    case '3':
    case '03':
      return pad(hour12, part.kind.length);
    case '4':
    case '04':
      return pad(date.getUTCMinutes(), part.kind.length);
    case '5':
    case '05':
      return pad(date.getUTCSeconds(), part.kind.length);
    case 'PM':
      return date.getUTCHours() >= 12 ? 'PM' : 'AM';
    case 'pm':
      return date.getUTCHours() >= 12 ? 'pm' : 'am';
    case 'MST':
      return clock.abbreviation;
    default:
      return formatOffset(part.kind, clock.offset);
  }
}

function yearDay(date: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start.getTime()) / 86_400_000) + 1;
}

type Fraction = Extract<LayoutPart, { kind: 'fraction' }>;

function formatFraction({ digits, isExact, separator }: Fraction, nanos: number): string {
  const all = pad(nanos, 9).padEnd(digits, '0').slice(0, digits);
  const shown = isExact ? all : all.replace(/0+$/, '');
  return shown === '' ? '' : separator + shown;
}

function formatOffset(kind: string, offset: number): string {
  if (kind.startsWith('Z') && offset === 0) return 'Z';
  const size = Math.abs(offset);
  const parts = [size / 3600, (size / 60) % 60, size % 60].map((part) => pad(Math.trunc(part), 2));
  const count = kind.replace(/\D/g, '').length / 2;
  return (offset < 0 ? '-' : '+') + parts.slice(0, count).join(kind.includes(':') ? ':' : '');
}
