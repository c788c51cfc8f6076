import { describe } from 'vitest';
import { startRegistryServer } from '../../src/registryserver/index.ts';
import { defineCreateScenario } from '../integration/create-scenario.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { hasGit } from '../support/git-server.ts';
import { localTarget, protectedTarget, strangerTarget } from '../support/git-targets.ts';

describe.skipIf(!hasGit())('creation on the embedded cluster', () => {
  defineCreateScenario({
    startCluster: () => startEmbedded(),
    startRegistry: () => startRegistryServer(),
    targets: { 'a path': localTarget },
    refusing: {
      'a wrong token': { start: strangerTarget, why: 'GitAuthFailed: ' },
      'a protected branch': { start: protectedTarget, why: 'GitBranchProtected: ' },
    },
  });
});
