import { Registry, register } from 'prom-client';
import { expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createController } from './controller.ts';
import { createControllerMetrics } from './metrics.ts';

async function value(registry: Registry, name: string, labels: Record<string, string>): Promise<number | undefined> {
  const metric = await registry.getSingleMetric(name)?.get();
  const series = metric?.values.find(
    (one) =>
      (!('metricName' in one) || one.metricName === undefined || String(one.metricName).endsWith('_sum')) &&
      Object.entries(labels).every(([label, wanted]) => one.labels[label] === wanted),
  );
  return series?.value;
}

it('counts the work of a controller, in the given registry only', async () => {
  const registry = new Registry();
  const clock = createFakeClock();
  const metrics = createControllerMetrics(registry);
  let failures = 1;
  const controller = createController({
    name: 'mirror',
    clock,
    backoff: { jitter: 0 },
    metrics,
    sources: [(sink) => sink.add('a'), (sink) => sink.add('b')],
    reconcile: async () => {
      await clock.sleep(2_000);
      if (failures-- > 0) throw new Error('boom');
    },
  });
  void controller.run(new AbortController().signal);
  await clock.advance(1);
  expect(await value(registry, 'workqueue_depth', { name: 'mirror' })).toBe(1);
  await clock.advance(10_000);
  expect(await value(registry, 'workqueue_depth', { name: 'mirror' })).toBe(0);
  expect(await value(registry, 'workqueue_adds_total', { name: 'mirror' })).toBe(3);
  expect(await value(registry, 'workqueue_retries_total', { name: 'mirror' })).toBe(1);
  expect(await value(registry, 'workqueue_work_duration_seconds', { name: 'mirror' })).toBe(6);
  // b waited for a; a's second run waited for b after its back-off of 5 ms.
  expect(await value(registry, 'workqueue_queue_duration_seconds', { name: 'mirror' })).toBeCloseTo(2 + 1.995);
  const total = (result: string) => value(registry, 'supercargo_reconcile_total', { controller: 'mirror', result });
  expect([await total('success'), await total('error'), await total('terminal_error')]).toEqual([2, 1, 0]);
  expect(register.getMetricsAsArray()).toEqual([]);
});

it('exposes whether this replica leads', async () => {
  const registry = new Registry();
  const setLeading = createControllerMetrics(registry).forLeadership('reports');
  const shown = () => value(registry, 'leader_election_master_status', { name: 'reports' });
  expect(await shown()).toBe(0);
  setLeading(true);
  expect(await shown()).toBe(1);
  setLeading(false);
  expect(await shown()).toBe(0);
});

it('bounds the number of series', async () => {
  const registry = new Registry();
  const metrics = createControllerMetrics(registry, { maxNames: 3 });
  for (let i = 0; i < 50; i++) metrics.forController(`c${i}`).queue.added?.();
  metrics.forController('c1').queue.added?.();
  const { values } = (await registry.getSingleMetric('workqueue_adds_total')?.get()) ?? { values: [] };
  expect(values.map(({ labels, value: count }) => [labels['name'], count])).toEqual([
    ['c0', 1],
    ['c1', 2],
    ['c2', 1],
    ['other', 47],
  ]);
});
