import { describe } from 'vitest';
import { defineDetectStory } from '../integration/detect-story.ts';
import { startRealCluster } from '../support/real-cluster.ts';

describe('detection on a real cluster', () => {
  defineDetectStory(() => startRealCluster());
});
