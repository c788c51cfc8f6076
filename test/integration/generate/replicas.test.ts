import { afterAll, beforeAll, describe } from 'vitest';
import { startEmbedded } from '../../support/embedded-cluster.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { defineReplicaScenarios } from './replica-scenarios.ts';

describe('on the embedded cluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
  });
  afterAll(() => cluster?.stop());

  defineReplicaScenarios(() => cluster);
});
