import { describe } from 'vitest';
import { defineGlobalContextScenario } from '../integration/global-context-scenario.ts';
import { startRealCluster } from '../support/real-cluster.ts';

describe('global context on a real cluster', () => {
  defineGlobalContextScenario(() => startRealCluster({ controllerManager: true }));
});
