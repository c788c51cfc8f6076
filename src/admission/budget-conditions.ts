import type { RuleResult } from '../policy/index.ts';
import type { LivePolicies } from '../runtime/index.ts';
import type { PolicyProblem } from './policy-status.ts';
import type { AdmissionResults } from './results.ts';

/** Reports policies whose rules exceed their budget. Such a policy stays active, and its rules return errors. */
interface BudgetConditions {
  observe(results: AdmissionResults): void;
}

export const isOverBudget = ({ code }: RuleResult): boolean => code === 'budget-exceeded';

export function createBudgetConditions(
  policies: Pick<LivePolicies, 'subscribe'>,
  onProblem: (policy: string, problem: PolicyProblem | undefined) => void,
): BudgetConditions {
  const exceeded = new Set<string>();
  // A new revision may be within the budget again.
  policies.subscribe((change) => {
    const key = change.type === 'policy' ? (change.after ?? change.before)?.key : undefined;
    if (key !== undefined && exceeded.delete(key)) onProblem(key, undefined);
  });
  return {
    observe({ request, results }) {
      for (const { policy, rule, message } of results.filter(isOverBudget)) {
        if (exceeded.has(policy.key)) continue;
        exceeded.add(policy.key);
        const { namespace = '', name = '' } = (request.object ?? request.oldObject)?.metadata ?? {};
        const subject = `${request.kind.kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
        onProblem(policy.key, { reason: 'BudgetExceeded', message: `rule ${rule.name} on ${subject}: ${message}` });
      }
    },
  };
}
