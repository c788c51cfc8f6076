import { describe } from 'vitest';
import { AssetsUnavailable, resolveAssets } from '../../scripts/assets.mjs';
import { defineTwoManagers } from '../integration/two-managers.ts';
import { startRealCluster } from '../support/real-cluster.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== undefined)('on a real cluster', () => defineTwoManagers(() => startRealCluster()));

async function whatIsMissing(): Promise<string | undefined> {
  try {
    await resolveAssets({ build: false });
    return undefined;
  } catch (error) {
    if (error instanceof AssetsUnavailable) return error.message;
    throw error;
  }
}
