import { startEmbedded } from '../support/embedded-cluster.ts';
import { createInsightsFixture } from './insights/fixture.ts';
import { defineJobsSuite } from './insights/jobs-suite.ts';

defineJobsSuite(
  createInsightsFixture(() => startEmbedded({ simulation: { jobDurationMs: 100, podStartMs: 10, podStopMs: 10 } })),
);
