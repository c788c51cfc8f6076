import { expect, it } from 'vitest';
import { dueTime, lastRunOf, scheduleOf } from './due.ts';
import { deletingPolicy } from './testing/policies.ts';

const hourly = deletingPolicy({ schedule: '0 * * * *' }, { creationTimestamp: '2030-01-01T00:30:00Z' });
const at = (text: string) => Date.parse(`2030-01-01T${text}:00Z`);
const dueAt = (last: string | undefined, now: string, deadlineMs?: number) => {
  const lastRunMs = last === undefined ? undefined : at(last);
  return dueTime(hourly, scheduleOf(hourly)!, { lastRunMs, nowMs: at(now), deadlineMs });
};

it('the first run is at the first time after the policy was made, each next one after the last', () => {
  expect(dueAt(undefined, '00:31')).toBe(at('01:00'));
  expect(dueAt('01:02', '01:05')).toBe(at('02:00'));
});

it('missed runs are made up for by one', () => {
  expect(dueAt('01:02', '09:15')).toBe(at('02:00'));
  expect(dueAt('09:15', '09:16')).toBe(at('10:00'));
});

it('a run that was missed for longer than the deadline is left out', () => {
  expect(dueAt('01:02', '09:15', 10 * 60_000)).toBe(at('10:00'));
  expect(dueAt('01:02', '09:15', 15 * 60_000)).toBe(at('09:00'));
});

it('the last run is the one of the status', () => {
  expect(lastRunOf(hourly)).toBeUndefined();
  expect(lastRunOf({ ...hourly, status: { lastExecutionTime: '2030-01-01T01:02:00Z' } })).toBe(at('01:02'));
  expect(lastRunOf({ ...hourly, status: { lastExecutionTime: 'soon' } })).toBeUndefined();
});

it('what is no schedule is never due', () => {
  expect(scheduleOf(deletingPolicy({ schedule: 'soon' }))).toBeUndefined();
  expect(scheduleOf(deletingPolicy({ schedule: 3 }))).toBeUndefined();
});
