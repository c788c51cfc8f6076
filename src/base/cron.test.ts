import { expect, it } from 'vitest';
import { parseCron } from './cron.ts';

const at = (text: string) => Date.parse(text);
const nextOf = (schedule: string, after: string) => {
  const next = parseCron(schedule).next(at(after));
  return next === undefined ? undefined : new Date(next).toISOString();
};

it.each([
  ['*/5 * * * *', '2030-01-01T00:00:00Z', '2030-01-01T00:05:00.000Z'],
  ['* * * * *', '2030-01-01T00:00:59Z', '2030-01-01T00:01:00.000Z'],
  ['0 3 * * *', '2030-01-01T03:00:00Z', '2030-01-02T03:00:00.000Z'],
  ['30 4 1,15 * 5', '2030-01-02T00:00:00Z', '2030-01-04T04:30:00.000Z'],
  ['0 0 * JAN-FEB mon', '2030-01-01T00:00:00Z', '2030-01-07T00:00:00.000Z'],
  ['0 9 ? * 6', '2030-01-01T00:00:00Z', '2030-01-05T09:00:00.000Z'],
  ['0 9 ? * 1-5', '2030-01-04T09:00:00Z', '2030-01-07T09:00:00.000Z'],
  ['@daily', '2030-01-01T00:00:00Z', '2030-01-02T00:00:00.000Z'],
  ['@every 90s', '2030-01-01T00:00:00.500Z', '2030-01-01T00:01:30.000Z'],
  ['@every 10ms', '2030-01-01T00:00:00Z', '2030-01-01T00:00:01.000Z'],
  ['CRON_TZ=Asia/Tokyo 0 9 * * *', '2030-01-01T00:00:00Z', '2030-01-02T00:00:00.000Z'],
  ['TZ=Europe/Berlin 0 3 * * *', '2030-07-01T00:00:00Z', '2030-07-01T01:00:00.000Z'],
])('%s is next due after %s at %s', (schedule, after, due) => {
  expect(nextOf(schedule, after)).toBe(due);
});

it('days of the month and of the week are alternatives where both are written', () => {
  expect(nextOf('0 0 13 * 5', '2030-01-01T00:00:00Z')).toBe('2030-01-04T00:00:00.000Z');
});

it('a schedule that never comes has no next time', () => {
  expect(nextOf('0 0 30 2 *', '2030-01-01T00:00:00Z')).toBeUndefined();
});

it.each([
  '',
  'soon',
  '* * * *',
  '0 * * * * *',
  '61 * * * *',
  '*/0 * * * *',
  '0 0 L * *',
  '0 0 * * 5#2',
  '2030-01-01T00:00:00Z',
  '@every',
  '@every soon',
  '@reboot',
  'TZ=Nowhere/Land 0 0 * * *',
])('%j is no schedule', (text) => {
  expect(() => parseCron(text)).toThrow(expect.objectContaining({ code: 'cron-invalid' }));
});
