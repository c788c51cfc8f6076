import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
import { AssetsUnavailable, resolveAssets } from '../../scripts/assets.mjs';
import { defineBoundaryScenarios } from '../integration/generate/boundary-scenarios.ts';
import { defineCelMutateScenarios } from '../integration/generate/cel-mutate-scenarios.ts';
import { defineCelScenarios } from '../integration/generate/cel-scenarios.ts';
import { defineDigestScenarios } from '../integration/generate/digest-scenarios.ts';
import { defineExampleScenarios } from '../integration/generate/example-scenarios.ts';
import { defineJobScenarios } from '../integration/generate/job-scenarios.ts';
import { defineOtherScenarios } from '../integration/generate/other-scenarios.ts';
import { defineOutboxScenarios } from '../integration/generate/outbox-scenarios.ts';
import { defineReplicaScenarios } from '../integration/generate/replica-scenarios.ts';
import { defineSyncScenarios } from '../integration/generate/sync-scenarios.ts';
import { type RealCluster, startRealCluster } from '../support/real-cluster.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== undefined)(`on a real cluster${missing === undefined ? '' : ` (${missing})`}`, () => {
  let cluster: RealCluster;
  beforeAll(async () => {
    cluster = await startRealCluster({ controllerManager: true });
  });
  afterAll(() => cluster?.stop());

  defineExampleScenarios(() => cluster);
  defineJobScenarios(() => cluster);
  defineSyncScenarios(() => cluster);
  defineOtherScenarios(() => cluster);
  defineCelScenarios(() => cluster);
  defineCelMutateScenarios(() => cluster);
  defineDigestScenarios(() => cluster);
  defineOutboxScenarios(() => cluster);
  const isBuilt = existsSync(fileURLToPath(new URL('../../dist/main.cjs', import.meta.url)));
  describe.skipIf(!isBuilt)(`as built${isBuilt ? '' : ' (needs npm run build)'}`, () =>
    defineReplicaScenarios(() => cluster),
  );
  defineBoundaryScenarios(() => cluster, { checksPermissions: true });
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
