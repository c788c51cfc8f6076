import { afterEach, describe, expect, it } from 'vitest';
import { unreadMetrics } from '../../test/support/controller-metrics.ts';
import { eventually } from '../../test/support/wait.ts';
import { onAbort, silentLogger, systemClock } from '../base/index.ts';
import type { KubeClient, ObjectKey, ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { ReportChanges } from './report-changes.ts';
import { renderReport, reportTypes } from './report-object.ts';
import { ReportWriter } from './report-writer.ts';
import type { ReportedStatus } from './result.ts';
import { ResultIndex } from './result-index.ts';
import type { ScanProgress } from './scan-state.ts';

const installation = 'supercargo';
const reportCount = 1000;

/** A server that holds a report per namespace, written by nobody knows whom, and answers reads one by one on demand. */
function setUp(progress: ScanProgress = 'settled') {
  const changes = new ReportChanges();
  const index = new ResultIndex({
    isSplit: true,
    nowSeconds: () => 1_700_000_000,
    onChange: (key, sinceMs) => changes.add(key, sinceMs),
  });
  const resources = Array.from({ length: reportCount }, (_, i) =>
    index.addResource({ apiVersion: 'v1', kind: 'Pod', namespace: `ns-${i}`, name: 'web', uid: `u-${i}` }),
  );
  const put = (nth: number, result: ReportedStatus) =>
    index.put(resources[nth]!, {
      isInScope: () => true,
      contents: [
        {
          head: { source: 'kyverno', policy: 'labels', rule: 'app', scored: true },
          result,
          message: '',
          properties: '{}',
          process: 'background',
        },
      ],
      sinceMs: systemClock.monotonicMs(),
    });
  for (const nth of resources.keys()) put(nth, 'pass');
  const keyOf = (nth: number) => `ns-${nth}/polr-ns-ns-${nth}-labels`;
  const stored = new Map<string, KubeObject>();
  const store = (nth: number, change: Partial<KubeObject> = {}) => {
    const report = renderReport(index.part(keyOf(nth))!, { index, installation });
    const metadata = { ...report.metadata, uid: `r-${nth}`, resourceVersion: '1', generation: 1 };
    stored.set(keyOf(nth), { ...report, ...change, metadata });
  };
  for (const nth of resources.keys()) store(nth);

  const log: string[] = [];
  /** Reads that wait for an answer, in the order in which they came. */
  const waiting: (() => void)[] = [];
  let isHolding = true;
  const client = {
    async *pages(type: ResourceType) {
      yield { items: type === reportTypes.namespaced ? [...stored.values()] : [], metadata: { resourceVersion: '1' } };
    },
    async *watch(_: ResourceType, { signal }: { readonly signal: AbortSignal }) {
      await new Promise<void>((resolve) => onAbort(signal, () => resolve()));
    },
    async get(_: ResourceType, { namespace, name }: ObjectKey) {
      const key = `${namespace}/${name}`;
      log.push(`read ${key}`);
      if (isHolding) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return stored.get(key)!;
    },
    async replace(_: ResourceType, object: KubeObject) {
      const key = `${object.metadata.namespace}/${object.metadata.name}`;
      log.push(`write ${key}`);
      const metadata = { ...object.metadata, uid: stored.get(key)!.metadata.uid!, resourceVersion: '2', generation: 2 };
      const written = { ...object, metadata };
      stored.set(key, written);
      return written;
    },
  } as unknown as KubeClient;
  const stop = new AbortController();
  const writer = new ReportWriter({
    client,
    installation,
    index,
    changes,
    progressOf: () => progress,
    limits: { debounceMs: 1 },
    metrics: {
      evaluated() {},
      rescanned() {},
      written() {},
      queue: unreadMetrics().forQueue('report'),
    },
    clock: systemClock,
    log: silentLogger,
  });
  const done = writer.run(stop.signal);
  return {
    writer,
    put,
    store,
    stored,
    keyOf,
    log,
    waiting,
    endScan() {
      progress = 'settled';
    },
    answerAll() {
      isHolding = false;
      for (const answer of waiting.splice(0)) answer();
    },
    async stop() {
      stop.abort();
      this.answerAll();
      await done;
    },
  };
}

describe('the writer of reports', () => {
  let running: ReturnType<typeof setUp> | undefined;
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });
  const reads = (log: readonly string[]) => log.filter((line) => line.startsWith('read')).length;

  it('writes what changed before reports that are only to be compared', async () => {
    running = setUp('unknown');
    const { put, store, keyOf, log, waiting, writer } = running;
    await writer.reports.synced(new AbortController().signal);
    // What the scan finds is no change that anybody waits for.
    for (let nth = 0; nth < reportCount; nth++) {
      put(nth, 'warn');
      store(nth);
    }
    running.endScan();
    await eventually(() => expect(waiting.length).toBe(4));
    const last = reportCount - 1;
    put(last, 'fail');
    // No comparison is answered: only a read of its own can be waited for.
    await eventually(() => expect(log).toContain(`read ${keyOf(last)}`));
    waiting.pop()!();
    await eventually(() => expect(log).toContain(`write ${keyOf(last)}`));
    expect(reads(log)).toBe(5);
    running.answerAll();
    await eventually(() => expect(writer.isIdle).toBe(true));
    expect(reads(log)).toBe(reportCount);
    expect(log.filter((line) => line.startsWith('write'))).toEqual([`write ${keyOf(last)}`]);
  });

  it('replaces every report that says something else, also when nothing changes', async () => {
    running = setUp();
    const { store, keyOf, log, writer, stored } = running;
    const forged = [17, 500, reportCount - 1];
    for (const nth of forged) store(nth, { results: [] });
    running.answerAll();
    await eventually(() => expect(writer.isIdle).toBe(true));
    expect(log.filter((line) => line.startsWith('write')).sort()).toEqual(
      forged.map((nth) => `write ${keyOf(nth)}`).sort(),
    );
    for (const nth of forged) expect(stored.get(keyOf(nth))!['results']).toHaveLength(1);
  });

  it('writes a report that changes while it is compared as it must be at the end', async () => {
    running = setUp();
    const { put, keyOf, log, waiting, writer, stored } = running;
    await eventually(() => expect(waiting.length).toBe(4));
    const key = log[0]!.replace('read ', '');
    const nth = Number(/^ns-(\d+)/.exec(key)![1]);
    put(nth, 'fail');
    running.answerAll();
    await eventually(() => expect(writer.isIdle).toBe(true));
    expect(key).toBe(keyOf(nth));
    expect(stored.get(key)!['summary']).toMatchObject({ pass: 0, fail: 1 });
    expect(log.filter((line) => line.endsWith(` ${key}`))).toEqual([`read ${key}`, `write ${key}`]);
  });
});
