import { startEmbedded } from '../support/embedded-cluster.ts';
import { createInsightsFixture } from './insights/fixture.ts';
import { defineSyncSuite } from './insights/sync-suite.ts';

defineSyncSuite(createInsightsFixture(() => startEmbedded({ simulation: false })));
