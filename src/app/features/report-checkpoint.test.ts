import { expect, test } from 'vitest';
import { configOf } from '../config.ts';
import { checkpointOf } from './report-checkpoint.ts';

test('the program in its sources has no checkpoint of reports: nothing tells when they change', () => {
  expect(checkpointOf(configOf({}))).toBeUndefined();
});
