import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
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
import { type RealCluster, startRealCluster, whyNoCluster } from '../support/real-cluster.ts';
import { missingOf } from '../support/skip.ts';

const missing = await whyNoCluster();

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
  const program = fileURLToPath(new URL('../../dist/main.cjs', import.meta.url));
  const notBuilt = missingOf('the built program', { 'dist/main.cjs': existsSync(program) });
  describe.skipIf(notBuilt !== undefined)('as built', () => defineReplicaScenarios(() => cluster));
  defineBoundaryScenarios(() => cluster, { checksPermissions: true });
});
