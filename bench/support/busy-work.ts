import { pathToFileURL } from 'node:url';
import { Registry } from 'prom-client';
import { configOf } from '../../src/app/config.ts';
import { createReportThread } from '../../src/app/features/report-thread.ts';
import { createBusyLoopBackoff, createLogger, systemClock } from '../../src/base/index.ts';
import { createControllerMetrics } from '../../src/controller/index.ts';
import { parseReference } from '../../src/image/index.ts';
import { createCopier, createRegistryClient } from '../../src/registry/index.ts';
import { createReportMetrics } from '../../src/report/index.ts';
import type { Work } from './busy-cluster.ts';

export interface WorkDone {
  readonly scanMs: number;
  readonly copyMs: number;
  readonly copiedBytes: number;
}

/** Scans the cluster as the report feature of `supercargo run` does, and copies the image meanwhile. */
export async function scanAndCopy({ kubeconfig, image, targetHost, run }: Work): Promise<WorkDone> {
  const registry = new Registry();
  const reporter = createReportThread({
    program: pathToFileURL('dist/report-worker.cjs'),
    config: configOf({ namespace: 'supercargo', features: ['report'], policies: { selector: {} }, logLevel: 'warn' }),
    ownPolicies: 'all',
    origin: { env: {}, kubeconfig },
    onReload: () => {},
    isExcluded: () => false,
    metrics: (gauges) => createReportMetrics(registry, createControllerMetrics(registry).forQueue('report'), gauges),
    log: createLogger({ level: 'warn' }),
  });
  const stop = new AbortController();
  const startedMs = performance.now();
  const running = reporter.run(stop.signal);
  const registries = createRegistryClient();
  // A repository that nobody has written to: nothing is mounted, all is sent.
  const target = parseReference(`${targetHost}/bench/run-${run}:v1`);
  const copying = createCopier(registries, { throttle: createBusyLoopBackoff(systemClock) })
    .copy({ source: parseReference(image), target })
    .then(({ copiedBytes }) => ({ copiedBytes, copyMs: performance.now() - startedMs }));
  try {
    while (!reporter.isIdle) await systemClock.sleep(50);
    const scanMs = performance.now() - startedMs;
    return { scanMs, ...(await copying) };
  } finally {
    stop.abort();
    await running;
    await registries.close();
  }
}
