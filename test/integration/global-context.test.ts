import { describe } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { defineGlobalContextScenario } from './global-context-scenario.ts';

describe('global context on the embedded cluster', () => {
  defineGlobalContextScenario(() => startEmbedded({ simulation: false }));
});
