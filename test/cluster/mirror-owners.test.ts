import path from 'node:path';
import { describe } from 'vitest';
import { defineMirrorOwners } from '../integration/mirror-owners.ts';
import { connectAsInstalled } from '../integration/mirror-rights.ts';
import { startRealCluster } from '../support/real-cluster.ts';

describe('the owners of fields on a real cluster, with the rights of an installation', () => {
  defineMirrorOwners(
    () => startRealCluster({ controllerManager: true }),
    (administrator, { cluster, ...program }) =>
      connectAsInstalled(administrator, cluster, { ...program, folder: path.dirname(cluster.kubeconfigPath) }),
  );
});
