import { afterAll, beforeAll, describe } from 'vitest';
import { startAdmission } from '../integration/admission-program.ts';
import { defineAdmissionScenario } from '../integration/admission-scenario.ts';
import { kubectlPath } from '../support/kubectl.ts';
import { type RealCluster, startRealCluster, whyNoCluster } from '../support/real-cluster.ts';
import { missingOf } from '../support/skip.ts';

const kubectl = await kubectlPath();
const missing = missingOf('admission', { kubectl }) ?? (await whyNoCluster());

describe.skipIf(missing !== undefined)(
  `admission on a real cluster${missing === undefined ? '' : ` (${missing})`}`,
  { timeout: 120_000 },
  () => {
    let cluster: RealCluster;
    let session: Awaited<ReturnType<typeof startAdmission>>;
    beforeAll(async () => {
      cluster = await startRealCluster({ controllerManager: true });
      session = await startAdmission({
        kubectl: kubectl!,
        kubeconfig: cluster.kubeconfigPath,
        folder: cluster.directory,
        installation: 'story',
      });
    }, 120_000);
    afterAll(async () => {
      await session?.stop();
      await cluster?.stop();
    });
    defineAdmissionScenario(() => session);
  },
);
