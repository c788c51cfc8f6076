import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeConnection } from '../../src/kube/index.ts';
import { defineClients } from '../integration/clients.ts';
import { connectTo } from '../integration/connection.ts';
import { defineLeaderChanges } from '../integration/leader-change.ts';
import { runLiveness } from '../integration/liveness-rounds.ts';
import { type RealCluster, startRealCluster, whyNoCluster } from '../support/real-cluster.ts';
import { missingOf } from '../support/skip.ts';

const missing = await whyNoCluster();

describe.skipIf(missing !== undefined)(`a real cluster${missing === undefined ? '' : ` (${missing})`}`, () => {
  let cluster: RealCluster;
  let client: KubeConnection;
  beforeAll(async () => {
    cluster = await startRealCluster();
    client = await connectTo(cluster);
  });
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
  });

  describe('and the client', () =>
    defineClients(() => ({ client, forget: (before) => cluster.forgetHistory!(before) })));

  it('is followed by an informer behind a connection that is lost, cut and delayed', { timeout: 60_000 }, async () => {
    const report = await runLiveness(cluster, { seed: 78, durationMs: 8_000 });
    console.info(`watch liveness: ${JSON.stringify(report)}`);
    expect(report.writes).toBeGreaterThanOrEqual(100);
  });

  const program = fileURLToPath(new URL('../../dist/main.cjs', import.meta.url));
  const notBuilt = missingOf('the built program', { 'dist/main.cjs': existsSync(program) });
  describe.skipIf(notBuilt !== undefined)('and leader changes', () => defineLeaderChanges(() => cluster));
});
