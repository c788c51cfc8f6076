import { describe } from 'vitest';
import { startEverything, startUp } from '../integration/everything-programs.ts';
import { defineEverythingScenario } from '../integration/everything-scenario.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { hasGit } from '../support/git-server.ts';
import { localTarget } from '../support/git-targets.ts';

describe.skipIf(!hasGit())('everything at once in supercargo up', () => {
  defineEverythingScenario({ rewrite: 'workloads', start: startUp, startTarget: localTarget });
});

describe.skipIf(!hasGit())('everything at once where pods are rewritten', () => {
  defineEverythingScenario({
    rewrite: 'pods',
    start: (env) => startEverything(() => startEmbedded(), env, { rewrite: 'pods', isInstalled: false }),
    startTarget: localTarget,
  });
});
