import { afterAll, beforeAll, describe } from 'vitest';
import { startEmbedded } from '../../support/embedded-cluster.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { defineBoundaryScenarios } from './boundary-scenarios.ts';
import { defineCelMutateScenarios } from './cel-mutate-scenarios.ts';
import { defineCelScenarios } from './cel-scenarios.ts';
import { defineDigestScenarios } from './digest-scenarios.ts';
import { defineExampleScenarios } from './example-scenarios.ts';
import { defineJobScenarios } from './job-scenarios.ts';
import { defineOtherScenarios } from './other-scenarios.ts';
import { defineOutboxScenarios } from './outbox-scenarios.ts';
import { defineSyncScenarios } from './sync-scenarios.ts';

describe('on the embedded cluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startEmbedded();
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
  defineBoundaryScenarios(() => cluster, { checksPermissions: false });
});
