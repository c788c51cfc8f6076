import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import type { MirrorFixture } from '../integration/mirror-fixture.ts';
import { defineMirrorRandom } from '../integration/mirror-random.ts';
import { connectAsInstalled } from '../integration/mirror-rights.ts';
import { defineMirrorScenario } from '../integration/mirror-scenario.ts';
import { findProgram } from '../support/docker-registry.ts';
import { startRealCluster } from '../support/real-cluster.ts';
import { missingOf } from '../support/skip.ts';

const run = promisify(execFile);
const skopeo = findProgram('skopeo');
const missing = missingOf('rewritten references', { skopeo });

describe('the clone of images on a real cluster, with the rights of an installation', () => {
  defineMirrorScenario(
    () => startRealCluster({ controllerManager: true }),
    (administrator, { cluster, ...program }) =>
      connectAsInstalled(administrator, cluster, { ...program, folder: path.dirname(cluster.kubeconfigPath) }),
  );
});

describe.skipIf(missing !== undefined)('rewritten references on a real cluster', () => {
  defineMirrorRandom(() => startRealCluster(), {
    seed: Number(process.env['SEED'] ?? 1),
    actions: 30,
    missing: pulled,
  });
});

/** Pulls an image whole, as a runtime would: the manifest and every blob. */
async function pulled(fixture: MirrorFixture, reference: string): Promise<readonly string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'supercargo-pull-'));
  // skopeo takes a tag or a digest, as runtimes do who look at the digest alone; and past the troubles.
  const name = reference.replace(fixture.backup.host, fixture.backupHost).replace(/:[^:/@]+@/, '@');
  try {
    await run(skopeo!, ['copy', '--src-tls-verify=false', `docker://${name}`, `dir:${folder}`]);
    return [];
  } catch (thrown) {
    return [String((thrown as { readonly stderr?: string }).stderr ?? thrown)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
