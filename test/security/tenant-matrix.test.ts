import { describe } from 'vitest';
import { defineTenantMatrix } from '../integration/tenant-matrix.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';

/** The rows in which we refuse ourselves; those in which rights decide are asked of a real API server in test/cluster. */
describe('what a tenant gains through us', () => {
  defineTenantMatrix(() => startEmbedded(), { checksRights: false });
});
