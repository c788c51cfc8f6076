import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Registry } from 'prom-client';
import { afterAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../base/index.ts';
import { createControllerMetrics } from '../../controller/index.ts';
import { createReportMetrics } from '../../report/index.ts';
import { configOf } from '../config.ts';
import { createReportThread } from './report-thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'supercargo-report-thread-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A thread that runs this code, with `port` and `data` in scope. */
function threadThat(code: string, graceMs?: number) {
  const file = join(folder, `${Math.random()}.cjs`);
  writeFileSync(file, `const { parentPort: port, workerData: data } = require('node:worker_threads');\n${code}`);
  const registry = new Registry();
  const reporter = createReportThread({
    onReload: () => {},
    program: pathToFileURL(file),
    config: configOf({ installation: 'mine' }),
    ownPolicies: 'all',
    origin: { env: { KUBECONFIG: '/k' }, context: 'c' },
    isExcluded: () => false,
    metrics: (gauges) => createReportMetrics(registry, createControllerMetrics(registry).forQueue('report'), gauges),
    ...(graceMs === undefined ? {} : { graceMs }),
    log: silentLogger,
  });
  return { reporter, registry };
}

describe('the report thread', () => {
  test('gets its setup, stops on request, and adds its counts to the metrics', async () => {
    const counts = `{
      judged: data.config.installation === 'mine' && data.origin.env.KUBECONFIG === '/k' && data.origin.context === 'c' ? 7 : 0,
      rescanned: 2,
      written: [{ operation: 'update', outcome: 'done', bytes: 300, times: 3 }],
      queue: { added: 4, retried: 1, depth: 2, waitedMs: [1500], tookMs: [500, 500] },
      gauges: { totals: [4, 0, 0, 0, 0], objects: 5, watchedKinds: 6, failingKinds: 1, lagSeconds: 0 },
    }`;
    const { reporter, registry } = threadThat(`
      port.postMessage({ kind: 'counts', isIdle: true, counts: ${counts} });
      setInterval(() => {}, 1000);
      port.once('message', ({ kind }) => { if (kind === 'stop') port.postMessage({ kind: 'ended' }); });
    `);
    const stop = new AbortController();
    const running = reporter.run(stop.signal);
    expect(reporter.isRunning).toBe(true);
    await expect.poll(() => reporter.isIdle, { timeout: 60_000 }).toBe(true);
    const text = await registry.metrics();
    for (const line of [
      'supercargo_report_evaluations_total 7',
      'supercargo_report_rescans_total 2',
      'supercargo_report_writes_total{operation="update",outcome="done"} 3',
      'supercargo_report_written_bytes_total 300',
      'workqueue_adds_total{name="report"} 4',
      'workqueue_retries_total{name="report"} 1',
      'workqueue_depth{name="report"} 2',
      'workqueue_queue_duration_seconds_sum{name="report"} 1.5',
      'workqueue_work_duration_seconds_count{name="report"} 2',
      'supercargo_report_objects 5',
      'supercargo_report_failing_kinds 1',
    ])
      expect(text).toContain(`${line}\n`);
    stop.abort();
    await running;
    expect([reporter.isRunning, reporter.isIdle]).toEqual([false, false]);
    expect(await registry.metrics()).toContain('supercargo_report_objects 0\n');
  });

  test('ends the run with its own error, or with a general one', async () => {
    const { signal } = new AbortController();
    const failing = threadThat(
      "setInterval(() => {}, 1000); port.postMessage({ kind: 'ended', failure: 'no cluster' });",
    );
    await expect(failing.reporter.run(signal)).rejects.toThrow('no cluster');
    await expect(threadThat("throw new TypeError('oh')").reporter.run(signal)).rejects.toThrow('oh');
    await expect(threadThat('').reporter.run(signal)).rejects.toThrow('the report thread has ended');
  });

  test('is terminated when it does not stop in time, and may run again', async () => {
    const { reporter } = threadThat('setInterval(() => {}, 1000); port.on("message", () => {});', 50);
    for (let i = 0; i < 2; i++) await reporter.run(AbortSignal.timeout(100));
    await reporter.run(AbortSignal.abort());
    expect(reporter.isRunning).toBe(false);
  });
});
