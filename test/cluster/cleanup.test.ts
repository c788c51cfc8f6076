import { describe } from 'vitest';
import { defineCleanupScenario } from '../integration/cleanup-scenario.ts';
import { startRealCluster } from '../support/real-cluster.ts';

describe('deleting policies on a real cluster', () => {
  defineCleanupScenario(() => startRealCluster({ controllerManager: true }));
});
