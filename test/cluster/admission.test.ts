import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
import { AssetsUnavailable, resolveAssets } from '../../scripts/assets.mjs';
import { startAdmission } from '../integration/admission-program.ts';
import { defineAdmissionScenario } from '../integration/admission-scenario.ts';
import { kubectlPath } from '../support/kubectl.ts';
import { type RealCluster, startRealCluster } from '../support/real-cluster.ts';

const kubectl = await kubectlPath();
const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

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

async function whatIsMissing(): Promise<string | undefined> {
  if (!existsSync(fileURLToPath(new URL('../../dist/main.cjs', import.meta.url)))) return 'needs npm run build';
  if (kubectl === undefined) return 'there is no kubectl';
  try {
    await resolveAssets({ build: false });
    return undefined;
  } catch (error) {
    if (error instanceof AssetsUnavailable) return error.message;
    throw error;
  }
}
