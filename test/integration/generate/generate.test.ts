import { afterAll, beforeAll, describe } from 'vitest';
import { startEmbedded } from '../../support/embedded-cluster.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { defineBoundaryStories } from './boundary-stories.ts';
import { defineDigestStories } from './digest-stories.ts';
import { defineExampleStories } from './example-stories.ts';
import { defineJobStories } from './job-stories.ts';
import { defineOtherStories } from './other-stories.ts';
import { defineOutboxStories } from './outbox-stories.ts';
import { defineSyncStories } from './sync-stories.ts';

describe('on the embedded cluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startEmbedded();
  });
  afterAll(() => cluster?.stop());

  defineExampleStories(() => cluster);
  defineJobStories(() => cluster);
  defineSyncStories(() => cluster);
  defineOtherStories(() => cluster);
  defineDigestStories(() => cluster);
  defineOutboxStories(() => cluster);
  defineBoundaryStories(() => cluster, { checksPermissions: false });
});
