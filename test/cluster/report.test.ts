import { afterAll, beforeAll, describe } from 'vitest';
import { AssetsUnavailable, resolveAssets } from '../../scripts/assets.mjs';
import { defineReportCases } from '../integration/report-cases.ts';
import { createReportFixture, type ReportFixture } from '../integration/report-fixture.ts';
import { defineSeedExamples } from '../integration/report-seed.ts';
import { type RealCluster, startRealCluster } from '../support/real-cluster.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== undefined)(
  `reports on a real cluster${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let cluster: RealCluster;
    let fixture: ReportFixture;
    beforeAll(async () => {
      cluster = await startRealCluster({ controllerManager: true });
      fixture = await createReportFixture(cluster);
    });
    afterAll(async () => {
      await fixture?.close();
      await cluster?.stop();
    });

    defineSeedExamples(() => cluster);
    defineReportCases(() => fixture);
  },
);

async function whatIsMissing(): Promise<string | undefined> {
  try {
    await resolveAssets({ build: false });
    return undefined;
  } catch (error) {
    if (error instanceof AssetsUnavailable) return error.message;
    throw error;
  }
}
