import { describe } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { defineCleanupScenario } from './cleanup-scenario.ts';

describe('deleting policies on the embedded cluster', () => {
  defineCleanupScenario(() => startEmbedded({ simulation: false }));
});
