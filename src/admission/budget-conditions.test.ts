import { expect, it } from 'vitest';
import type { PolicyProgram, PolicyRequest, RuleProgram, RuleResult } from '../policy/index.ts';
import type { PolicyChange } from '../runtime/index.ts';
import { createBudgetConditions } from './budget-conditions.ts';

it('a policy over its budget gets a condition once, and a new revision removes it', () => {
  const reported: (string | undefined)[] = [];
  let change: (change: PolicyChange) => void = () => {};
  const conditions = createBudgetConditions(
    {
      subscribe(listener) {
        change = listener;
        return () => {};
      },
    },
    (_, problem) => reported.push(problem && `${problem.reason}: ${problem.message}`),
  );
  const policy = { key: 'shop/heavy' } as PolicyProgram;
  const rule = { name: 'loops' } as RuleProgram;
  const result = { policy, rule, status: 'error', message: 'too much', steps: [] } as const;
  const request = {
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big', namespace: 'shop' } },
  } as unknown as PolicyRequest;
  const observe = (...results: readonly RuleResult[]) => conditions.observe({ request, results, isBlocked: false });
  observe(result);
  expect(reported).toEqual([]);
  observe({ ...result, code: 'budget-exceeded' }, { ...result, code: 'budget-exceeded' });
  observe({ ...result, code: 'budget-exceeded' });
  expect(reported).toEqual(['BudgetExceeded: rule loops on ConfigMap shop/big: too much']);
  change({ type: 'policy', before: undefined, after: { key: 'shop/heavy' } as never });
  expect(reported).toHaveLength(2);
  expect(reported[1]).toBeUndefined();
});
