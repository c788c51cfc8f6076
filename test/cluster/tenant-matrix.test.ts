import { describe } from 'vitest';
import { defineTenantMatrix } from '../integration/tenant-matrix.ts';
import { startRealCluster } from '../support/real-cluster.ts';

describe('what a tenant gains through us, on a real API server with the rights of an installation', () => {
  defineTenantMatrix(() => startRealCluster({ controllerManager: true }), { checksRights: true });
});
