import { describe } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { hasGit } from '../support/git-server.ts';
import { localTarget } from '../support/git-targets.ts';
import { startEverything, startUp } from './everything-programs.ts';
import { defineEverythingStory } from './everything-story.ts';

describe.skipIf(!hasGit())('everything at once in supercargo up', () => {
  defineEverythingStory({ rewrite: 'workloads', start: startUp, startTarget: localTarget });
});

describe.skipIf(!hasGit())('everything at once where pods are rewritten', () => {
  defineEverythingStory({
    rewrite: 'pods',
    start: (env) => startEverything(() => startEmbedded(), env, { rewrite: 'pods', isInstalled: false }),
    startTarget: localTarget,
  });
});
