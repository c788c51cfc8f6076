import { createLogger, systemClock } from '../../src/base/index.ts';
import { createCourtesy } from '../../src/controller/index.ts';
import { parseReference } from '../../src/image/index.ts';
import {
  bearer,
  createDiscovery,
  createInformerFactory,
  createKubeClient,
  staticCredentials,
} from '../../src/kube/index.ts';
import { createCopier, createRegistryClient } from '../../src/registry/index.ts';
import { createReporter } from '../../src/report/index.ts';
import { createLivePolicies, createLookUps } from '../../src/runtime/index.ts';
import type { Work } from './busy-cluster.ts';

export interface WorkDone {
  readonly scanMs: number;
  readonly copyMs: number;
  readonly copiedBytes: number;
}

/** Scans the cluster as the report feature does, and copies the image meanwhile. */
export async function scanAndCopy({ cluster, image, targetHost, run }: Work): Promise<WorkDone> {
  const log = createLogger({ level: 'warn' });
  const client = createKubeClient({
    name: 'bench',
    server: cluster.url,
    namespace: 'default',
    tls: { ca: cluster.caPem },
    credentials: staticCredentials({ authorization: bearer(cluster.token) }),
  });
  const informers = createInformerFactory({ client, log });
  const discovery = createDiscovery({ source: client });
  const reporter = createReporter({
    client,
    discovery,
    policies: createLivePolicies({ informers, log }),
    lookUps: createLookUps({ client, discovery, clock: systemClock, log }),
    installation: 'supercargo',
    isSplit: true,
    clock: systemClock,
    log,
  });
  const stop = new AbortController();
  const startedMs = performance.now();
  const running = Promise.all([informers.run(stop.signal), reporter.run(stop.signal)]);
  const registries = createRegistryClient();
  // A repository that nobody has written to: nothing is mounted, all is sent.
  const target = parseReference(`${targetHost}/bench/run-${run}:v1`);
  const copying = createCopier(registries, { pace: createCourtesy(systemClock) })
    .copy({ source: parseReference(image), target })
    .then(({ copiedBytes }) => ({ copiedBytes, copyMs: performance.now() - startedMs }));
  try {
    while (!reporter.isIdle) await systemClock.sleep(50);
    const scanMs = performance.now() - startedMs;
    return { scanMs, ...(await copying) };
  } finally {
    stop.abort();
    await running;
    await client.close();
    await registries.close();
  }
}
