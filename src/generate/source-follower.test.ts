import { expect, it } from 'vitest';
import { silentLogger } from '../base/index.ts';
import { type DiscoveredType, type KubeClient, KubeError } from '../kube/index.ts';
import type { DownstreamIndex } from './downstream-index.ts';
import type { RuleTable } from './rule-table.ts';
import { SourceFollower } from './source-follower.ts';

const secrets: DiscoveredType = {
  group: '',
  version: 'v1',
  resource: 'secrets',
  kind: 'Secret',
  namespaced: true,
  verbs: ['list', 'watch'],
  subresources: [],
} as never;

const tableOf = (...policies: readonly string[]) =>
  ({
    policies: new Map(
      policies.map((key) => [
        key,
        {
          program: { key },
          watched: [
            {
              name: 'copy',
              spec: { generate: { apiVersion: 'v1', kind: 'Secret', clone: { namespace: 'shop', name: 'key' } } },
            },
          ],
        },
      ]),
    ),
  }) as unknown as RuleTable;

it('reports a kind that failed while the policies were being read again', async () => {
  const stop = new AbortController();
  let onListed = () => {};
  const listed = new Promise<void>((resolve) => {
    onListed = resolve;
  });
  const resolving: (() => void)[] = [];
  const client = {
    pages() {
      onListed();
      throw new KubeError('kube-forbidden', 'forbidden', { method: 'GET', path: '/' });
    },
  } as unknown as KubeClient;
  let table = tableOf('first');
  const reported: (readonly string[])[] = [];
  const follower: SourceFollower = new SourceFollower(
    {
      client,
      discovery: {
        byKind: () => new Promise((resolve) => resolving.push(() => resolve(secrets))),
      },
      table: () => table,
      index: {} as DownstreamIndex,
      sync: () => {},
      retry: () => {},
      onFailure: () => reported.push(['first', 'second'].filter((policy) => follower.failuresOf(policy).length > 0)),
      log: silentLogger,
    },
    stop.signal,
  );
  const first = follower.refresh();
  resolving.shift()!();
  table = tableOf('first', 'second');
  const second = follower.refresh();
  await listed;
  await expect.poll(() => reported.length).toBeGreaterThan(0);
  for (let open = resolving.shift(); open; open = resolving.shift()) {
    open();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all([first, second]);
  expect(reported.at(-1)).toEqual(['first', 'second']);
  stop.abort();
  await follower.stopped();
});
