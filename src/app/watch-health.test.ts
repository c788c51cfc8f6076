import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createFailingMetric, createSkippedMetric, firstListsMissing, watchReadiness } from './watch-health.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
const watching = (hasSynced: boolean, code?: string) => ({
  all: () => [
    { type: pods, hasSynced, failing: code === undefined ? undefined : { error: 'it broke', code, sinceMs: 0 } },
  ],
});

test('a kind whose first list is missing is named with its error', () => {
  expect(firstListsMissing(watching(false, 'kube-bad-response'))).toMatch(/not complete: .*pods.*\(it broke\)/);
});

test('a kind that is watched later keeps the replica ready during its first list', () => {
  expect(watchReadiness(watching(false), 1e9)).toBe(true);
  expect(watchReadiness(watching(false, 'kube-unreachable'), 61_000)).toMatch(/no progress: .*pods/);
});

test('a watch that fails for a minute makes the replica unready and names the kind', () => {
  const informers = watching(true, 'kube-unreachable');
  expect(watchReadiness(informers, 59_000)).toBe(true);
  expect(watchReadiness(informers, 61_000)).toMatch(/no progress: .*pods/);
});

test('a kind that may no longer be listed keeps the replica ready and is shown in the metric', async () => {
  const informers = watching(true, 'kube-forbidden');
  const registry = new Registry();
  createFailingMetric(registry, informers);
  createSkippedMetric(registry)({ type: pods, key: 'a/b', error: 'too deep' });
  expect(watchReadiness(informers, 1e9)).toBe(true);
  expect(await registry.metrics()).toMatch(/supercargo_watch_failing\{resource=".*pods"\} 1/);
  expect(await registry.metrics()).toMatch(/objects_skipped_total\{resource=".*pods"\} 1/);
});
