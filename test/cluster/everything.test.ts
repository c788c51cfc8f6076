import { describe } from 'vitest';
import { startEverything } from '../integration/everything-programs.ts';
import { defineEverythingScenario } from '../integration/everything-scenario.ts';
import { hasGit } from '../support/git-server.ts';
import { httpTarget } from '../support/git-targets.ts';
import { startRealCluster } from '../support/real-cluster.ts';

describe.skipIf(!hasGit()).each(['workloads', 'pods'] as const)(
  'everything at once on a real cluster, with the rights of an installation and %s rewritten',
  (rewrite) => {
    defineEverythingScenario({
      rewrite,
      start: (env) =>
        startEverything(() => startRealCluster({ controllerManager: true }), env, { rewrite, isInstalled: true }),
      startTarget: () => httpTarget('token'),
    });
  },
);
