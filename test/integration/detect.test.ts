import { describe } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { defineDetectStory } from './detect-story.ts';

describe('detection on the embedded cluster', () => {
  defineDetectStory(() => startEmbedded());
});
