import { describe } from 'vitest';
import { defineDetectScenario } from '../integration/detect-scenario.ts';
import { startRealCluster } from '../support/real-cluster.ts';

describe('detection on a real cluster', () => {
  defineDetectScenario(() => startRealCluster());
});
