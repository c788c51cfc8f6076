import { afterAll, beforeAll, describe } from 'vitest';
import { defineReportCases } from '../integration/report-cases.ts';
import { createReportFixture, type ReportFixture } from '../integration/report-fixture.ts';
import { defineSeedExamples } from '../integration/report-seed.ts';
import { type RealCluster, startRealCluster, whyNoCluster } from '../support/real-cluster.ts';

const missing = await whyNoCluster();

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
