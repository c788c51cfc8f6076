import { expect, test } from 'vitest';
import { measureIsolation } from '../support/isolation.ts';

test("under a tenant's worst policies and a flood of connections no admission of others fails, and the lease is kept", async () => {
  const figures = await measureIsolation({ count: 150, first: false });
  const { quietP99Ms, attackedP99Ms, tenantRequests, connections } = figures;
  // Bounded by `npm run prove -- isolation`, where client and API server go first: here others share the processors.
  console.info(
    `p99 of 150 creates: quiet ${quietP99Ms.toFixed(1)} ms, beside ${tenantRequests} heavy requests and ` +
      `${connections} connections ${attackedP99Ms.toFixed(1)} ms`,
  );
  expect(figures).toMatchObject({ failures: [], isLeaseKept: true });
  expect(figures.overBudget).toBeGreaterThan(0);
  expect(connections).toBeGreaterThan(100);
}, 120_000);
