import { expect, it } from 'vitest';
import { createLogger } from '../base/index.ts';
import { createMissingKindsLog } from './missing-kinds.ts';

const type = (resource: string) => ({ group: 'kyverno.io', version: 'v1', resource, kind: 'X', namespaced: false });

it('logs once what is missing and what to do, for all kinds that fail together', () => {
  const lines: string[] = [];
  const timers: (() => void)[] = [];
  const log = createLogger({ destination: { write: (line: string) => lines.push(line) } });
  const missing = createMissingKindsLog(log, {
    after: (_, run) => {
      timers.push(run);
      return () => {};
    },
  });
  for (const resource of ['policies', 'clusterpolicies', 'policies']) missing(type(resource));
  expect(lines).toEqual([]);
  for (const run of timers.splice(0)) run();
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 'warn',
    msg: expect.stringContaining('supercargo install --apply'),
    kinds: [expect.stringContaining('clusterpolicies'), expect.stringContaining('policies')],
  });
  missing(type('policies'));
  expect(timers).toHaveLength(1);
});
