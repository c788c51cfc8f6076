import { compilePolicy, type PolicyObject } from '../policy/index.ts';
import { findDifference, renderDifference } from './compare.ts';
import { type Conversion, type ConvertedRule, convertRules, type RefusedRule } from './policy.ts';

interface ConvertOptions {
  /** Objects of each kind on which the policy and its conversion must agree. */
  readonly samples?: number;
  readonly seed?: number;
}

/** The engine does not run it, but it may be converted in part. */
const unsupported = 'policy-unsupported';

/**
 * The equivalent of a classic policy in the CEL kinds, rule by rule. A conversion counts only if it compiles and blocks
 * the same of many objects made for what the rule reads.
 */
export function convertPolicy(policy: PolicyObject, { samples = 400, seed = 1 }: ConvertOptions = {}): Conversion {
  const invalid = compilePolicy(policy).issues.filter(
    ({ severity, code }) => severity === 'error' && code !== unsupported,
  );
  if (invalid.length > 0)
    return { converted: [], refused: invalid.map(({ path, message }) => ({ rule: '', path, reason: message })) };
  const { converted, refused } = convertRules(policy);
  const kept: ConvertedRule[] = [];
  const dropped: RefusedRule[] = [];
  for (const one of converted) {
    const reason = reasonAgainst(policy, one, samples, seed);
    if (reason === undefined) kept.push(one);
    else dropped.push({ rule: one.rule, path: pathOf(policy, one.rule), reason });
  }
  return { converted: kept, refused: [...refused, ...dropped] };
}

function reasonAgainst(policy: PolicyObject, rule: ConvertedRule, samples: number, seed: number): string | undefined {
  const [issue] = compilePolicy(rule.policy).issues.filter(({ severity }) => severity === 'error');
  if (issue) return `the conversion does not compile: ${issue.path}: ${issue.message}`;
  const rules = (policy.spec.rules ?? []).filter(({ name }) => name === rule.rule);
  const { program, issues } = compilePolicy({ ...policy, spec: { ...policy.spec, rules } });
  if (program === undefined) return issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const difference = findDifference(program, rule, { samples, seed });
  return difference && renderDifference(difference);
}

const pathOf = ({ spec }: PolicyObject, rule: string) =>
  `spec.rules[${(spec.rules ?? []).findIndex(({ name }) => name === rule)}]`;
