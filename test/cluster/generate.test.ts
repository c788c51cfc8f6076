import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
import { AssetsUnavailable, resolveAssets } from '../../scripts/assets.mjs';
import { defineBoundaryStories } from '../integration/generate/boundary-stories.ts';
import { defineDigestStories } from '../integration/generate/digest-stories.ts';
import { defineExampleStories } from '../integration/generate/example-stories.ts';
import { defineJobStories } from '../integration/generate/job-stories.ts';
import { defineOtherStories } from '../integration/generate/other-stories.ts';
import { defineOutboxStories } from '../integration/generate/outbox-stories.ts';
import { defineReplicaStories } from '../integration/generate/replica-stories.ts';
import { defineSyncStories } from '../integration/generate/sync-stories.ts';
import { type RealCluster, startRealCluster } from '../support/real-cluster.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== undefined)(`on a real cluster${missing === undefined ? '' : ` (${missing})`}`, () => {
  let cluster: RealCluster;
  beforeAll(async () => {
    cluster = await startRealCluster({ controllerManager: true });
  });
  afterAll(() => cluster?.stop());

  defineExampleStories(() => cluster);
  defineJobStories(() => cluster);
  defineSyncStories(() => cluster);
  defineOtherStories(() => cluster);
  defineDigestStories(() => cluster);
  defineOutboxStories(() => cluster);
  const isBuilt = existsSync(fileURLToPath(new URL('../../dist/main.cjs', import.meta.url)));
  describe.skipIf(!isBuilt)(`as built${isBuilt ? '' : ' (needs npm run build)'}`, () =>
    defineReplicaStories(() => cluster),
  );
  defineBoundaryStories(() => cluster, { checksPermissions: true });
});

async function whatIsMissing(): Promise<string | undefined> {
  try {
    await resolveAssets({ build: false });
    return undefined;
  } catch (error) {
    if (error instanceof AssetsUnavailable) return error.message;
    throw error;
  }
}
