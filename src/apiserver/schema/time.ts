import { quote } from './go-text.ts';

const timeForm = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})([.,]\d+)?(Z|[+-]\d{2}:\d{2})$/;
const microForm = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})\.\d{6}(Z|[+-]\d{2}:\d{2})$/;

/** RFC 3339, as `metav1.Time` reads it. */
export function isTime(text: string): boolean {
  return inRange(timeForm.exec(text));
}

/** RFC 3339 with exactly six digits of fraction, as `metav1.MicroTime` reads it. */
export function isMicroTime(text: string): boolean {
  return inRange(microForm.exec(text));
}

function inRange(match: RegExpExecArray | null): boolean {
  if (!match) return false;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, ...number[]];
  const days = new Date(Date.UTC(year, month!, 0)).getUTCDate();
  return month! >= 1 && month! <= 12 && day! >= 1 && day! <= days && hour! < 24 && minute! < 60 && second! < 60;
}

const steps: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d{2}/, '01'],
  [/^-/, '-'],
  [/^\d{2}/, '02'],
  [/^T/, 'T'],
  [/^\d{2}/, '15'],
  [/^:/, ':'],
  [/^\d{2}/, '04'],
  [/^:/, ':'],
  [/^\d{2}([.,]\d+)?/, '05'],
];

/** Go's words for a time that it cannot read. */
export function timeError(text: string, isMicro: boolean): string {
  const layout = isMicro ? '2006-01-02T15:04:05.000000Z07:00' : '2006-01-02T15:04:05Z07:00';
  const head = `parsing time ${quote(text)}`;
  let rest = text;
  for (const [form, element] of steps) {
    const match = form.exec(rest);
    if (!match) return `${head} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(element)}`;
    rest = rest.slice(match[0].length);
  }
  if (isMicro && !/\.\d{6}/.test(text)) {
    return `${head} as ${quote(layout)}: cannot parse ${quote(rest)} as ".000000"`;
  }
  const zone = /^(Z|[+-]\d{2}:\d{2})/.exec(rest);
  if (!zone) return `${head} as ${quote(layout)}: cannot parse ${quote(rest)} as "Z07:00"`;
  const extra = rest.slice(zone[0].length);
  return extra === '' ? `${head}: day out of range` : `${head}: extra text: ${quote(extra)}`;
}
