import { expect, test } from 'vitest';
import { measureIsolation } from '../support/isolation.ts';

test("p99 of others' admissions stays within the larger of twice the quiet figure and 50 ms", async () => {
  const figures = await measureIsolation({ count: 1_000, first: true });
  const { quietP99Ms, attackedP99Ms, tenantRequests, connections } = figures;
  console.info(
    `figure: p99 of 1,000 creates: quiet ${quietP99Ms.toFixed(1)} ms, beside ${tenantRequests} heavy requests and ` +
      `${connections} connections ${attackedP99Ms.toFixed(1)} ms`,
  );
  expect(figures).toMatchObject({ failures: [], isLeaseKept: true });
  expect(figures.overBudget).toBeGreaterThan(0);
  expect(attackedP99Ms).toBeLessThanOrEqual(Math.max(2 * quietP99Ms, 50));
});
