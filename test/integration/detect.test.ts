import { describe } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { defineDetectScenario } from './detect-scenario.ts';

describe('detection on the embedded cluster', () => {
  defineDetectScenario(() => startEmbedded());
});
