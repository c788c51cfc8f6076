import { describe } from 'vitest';
import { defineTwoManagers } from '../integration/two-managers.ts';
import { startRealCluster, whyNoCluster } from '../support/real-cluster.ts';

const missing = await whyNoCluster();

describe.skipIf(missing !== undefined)('on a real cluster', () => defineTwoManagers(() => startRealCluster()));
