import { expect, it } from 'vitest';
import { factMakers, image, time } from '../../test/support/dashboard-facts.ts';
import { createApi } from './api.ts';
import { Cargo } from './cargo.ts';
import type { SyncRunRow } from './protocol.ts';
import { Query } from './query.ts';
import { createSystem } from './system.ts';
import { seesAll, shownKinds } from './visibility.ts';

/** All keys of an answer, with the type of what they hold. */
function keysOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => keysOf(item, `${path}[]`)))];
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`];
  return Object.entries(value).flatMap(([key, inner]) => keysOf(inner, path === '' ? key : `${path}.${key}`));
}

const syncRun: SyncRunRow = {
  at: time,
  outcome: 'failed',
  isDryRun: false,
  durationMs: 1,
  applied: 1,
  updated: 1,
  removed: 1,
  failed: 1,
  rolledBack: 1,
  unchanged: 1,
  failures: ['no'],
};

it('answers have the keys that programs read: fields are added and never changed', async () => {
  const cargo = new Cargo(() => Date.parse(time));
  for (const kind of shownKinds) factMakers[kind](cargo, kind === 'mirroredimages' ? '' : 'mine');
  const system = createSystem({
    client: { list: async () => ({ items: [] }) } as never,
    cargo,
    watched: [{ type: { kind: 'Pod', group: '', resource: 'pods' }, size: 1, hasSynced: true }] as never,
    syncRuns: () => [syncRun],
    installation: 'supercargo',
    namespace: 'supercargo',
    version: '1',
    kubernetes: 'v1',
    features: ['dashboard'],
    configuration: {},
    streams: () => 1,
  });
  const api = createApi({
    cargo,
    syncRuns: () => [syncRun],
    system,
    explain: async () => undefined,
    clock: { now: () => Date.parse(time) } as never,
  });
  const viewer = { user: 'ann', method: 'token', sees: seesAll, mayGet: async () => true } as const;
  const paths = ['overview', 'images?limit=1', `image?id=${image}`, 'copies', 'pipeline', 'detections'];
  const answers: Record<string, readonly string[]> = {};
  for (const path of [...paths, 'results', 'results/groups', 'jobs', 'system']) {
    const { pathname, searchParams } = new URL(path, 'http://host/api/');
    const answer = await api(pathname, new Query(searchParams), viewer, new AbortController().signal);
    answers[pathname] = [...new Set(keysOf(JSON.parse(JSON.stringify(answer))))].sort();
  }
  await expect(`${JSON.stringify(answers, undefined, 2)}\n`).toMatchFileSnapshot('protocol.golden.json');
});
