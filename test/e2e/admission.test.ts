import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { startAdmission } from '../integration/admission-program.ts';
import { defineAdmissionScenario } from '../integration/admission-scenario.ts';
import { kubectlPath } from '../support/kubectl.ts';
import { useCluster } from './cluster.ts';

const kubectl = await kubectlPath();

describe.skipIf(kubectl === undefined)(
  `admission on the embedded cluster${kubectl ? '' : ' (no kubectl)'}`,
  { timeout: 60_000 },
  () => {
    const cluster = useCluster(['--features', 'none']);
    const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-admission-'));
    let session: Awaited<ReturnType<typeof startAdmission>>;
    beforeAll(async () => {
      const { kubeconfig } = cluster.program.ready;
      session = await startAdmission({ kubectl: kubectl!, kubeconfig, folder, installation: 'story' });
    });
    afterAll(async () => {
      await session?.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    defineAdmissionScenario(() => session);
  },
);
