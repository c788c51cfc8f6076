import { describe } from 'vitest';
import { defineCreateScenario } from '../integration/create-scenario.ts';
import { startDockerRegistry } from '../support/docker-registry.ts';
import { hasGit } from '../support/git-server.ts';
import {
  httpTarget,
  localTarget,
  otherHostTarget,
  protectedTarget,
  sshTarget,
  strangerTarget,
  unknownHostTarget,
} from '../support/git-targets.ts';
import { startRealCluster } from '../support/real-cluster.ts';
import { findSshd, hasSsh } from '../support/ssh-server.ts';

const sshd = hasSsh() ? findSshd() : undefined;

describe.skipIf(!hasGit())('creation on a real cluster', () => {
  defineCreateScenario({
    startCluster: () => startRealCluster(),
    startRegistry: () => startDockerRegistry(),
    targets: {
      'a path': localTarget,
      'http with a token': () => httpTarget('token'),
      'http with a password': () => httpTarget('basic'),
      ...(sshd === undefined ? {} : { ssh: () => sshTarget(sshd) }),
    },
    refusing: {
      'a wrong token': { start: strangerTarget, why: 'GitAuthFailed: ' },
      'a protected branch': { start: protectedTarget, why: 'GitBranchProtected: ' },
      ...(sshd === undefined
        ? {}
        : {
            'a changed host key': { start: () => otherHostTarget(sshd), why: 'GitHostKeyChanged: ' },
            'an unknown host key': { start: () => unknownHostTarget(sshd), why: 'GitHostKeyUnknown: ' },
          }),
    },
  });
});
