import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AssetsUnavailable, resolveAssets } from '../../scripts/assets.mjs';
import type { KubeConnection } from '../../src/kube/index.ts';
import { defineClients } from '../integration/clients.ts';
import { connectTo } from '../integration/connection.ts';
import { defineLeaderChanges } from '../integration/leader-change.ts';
import { runLiveness } from '../integration/liveness-rounds.ts';
import { type RealCluster, startRealCluster } from '../support/real-cluster.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

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

  const isBuilt = existsSync(fileURLToPath(new URL('../../dist/main.cjs', import.meta.url)));
  describe.skipIf(!isBuilt)(`and leader changes${isBuilt ? '' : ' (needs npm run build)'}`, () =>
    defineLeaderChanges(() => cluster),
  );
});

async function whatIsMissing(): Promise<string | undefined> {
  try {
    await resolveAssets({ build: false });
    return undefined;
  } catch (error) {
    if (error instanceof AssetsUnavailable) return error.message;
    throw error;
  }
}
