import { describe, expect, it } from 'vitest';
import { scheduleError } from './schedule.ts';

describe('scheduleError', () => {
  it.each(['* * * * *', '*/5 0-3 1,15 jan-mar MON', '5/10 * ? * *', '@daily', '@every 1h30m'])(
    'takes %s',
    (schedule) => {
      expect(scheduleError(schedule)).toBeUndefined();
    },
  );

  it.each([
    ['0 0 * * * *', 'expected exactly 5 fields, found 6: [0 0 * * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['* * L * *', 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
    ['@never', 'unrecognized descriptor: @never'],
  ])('refuses %s', (schedule, message) => {
    expect(scheduleError(schedule)).toBe(message);
  });
});
