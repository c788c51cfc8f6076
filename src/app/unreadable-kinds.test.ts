import { expect, it } from 'vitest';
import { createLogger } from '../base/index.ts';
import { createUnreadableKindsLog } from './unreadable-kinds.ts';

const type = (resource: string) => ({ group: 'kyverno.io', version: 'v1', resource, kind: 'X', namespaced: false });

it('logs once what is missing and what to do, for all kinds that fail together', () => {
  const lines: string[] = [];
  const timers: (() => void)[] = [];
  const log = createLogger({ destination: { write: (line: string) => lines.push(line) } });
  const unreadable = createUnreadableKindsLog(log, {
    after: (_, run) => {
      timers.push(run);
      return () => {};
    },
  });
  for (const resource of ['policies', 'clusterpolicies', 'policies']) unreadable(type(resource), 'kube-not-found');
  expect(lines).toEqual([]);
  for (const run of timers.splice(0)) run();
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 'warn',
    msg: expect.stringContaining('supercargo install --apply'),
    kinds: [expect.stringContaining('clusterpolicies'), expect.stringContaining('policies')],
  });
  unreadable(type('policies'), 'kube-forbidden');
  expect(timers).toHaveLength(1);
  for (const run of timers) run();
  expect(lines.at(-1)).toContain('the rights to read these kinds are missing');
});
