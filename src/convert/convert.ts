import { compilePolicy, type PolicyObject, type RuleSpec } from '../policy/index.ts';
import { findDifference, renderDifference } from './compare.ts';
import { NotConvertible } from './not-convertible.ts';
import { type Attempt, attemptsOf, type Conversion, type ConvertedRule, type RefusedRule } from './policy.ts';

interface ConvertOptions {
  /** Objects of each kind on which the policy and its conversion must agree. */
  readonly samples?: number;
  readonly seed?: number;
}

/** The engine does not run it, but it may be converted in part. */
const unsupported = 'policy-unsupported';

/**
 * The equivalent of a classic policy in the CEL kinds, rule by rule. A conversion counts only if it compiles and does the
 * same with many objects made for what the rule reads.
 */
export function convertPolicy(policy: PolicyObject, { samples = 400, seed = 1 }: ConvertOptions = {}): Conversion {
  const invalid = compilePolicy(policy).issues.filter(
    ({ severity, code }) => severity === 'error' && code !== unsupported,
  );
  if (invalid.length > 0)
    return { converted: [], refused: invalid.map(({ path, message }) => ({ rule: '', path, reason: message })) };
  const converted: ConvertedRule[] = [];
  const refused: RefusedRule[] = [];
  for (const [i, rule] of (policy.spec.rules ?? []).entries()) {
    const result = convertRule(policy, rule, `spec.rules[${i}]`, { samples, seed });
    if ('reason' in result) refused.push({ rule: rule.name, ...result });
    else converted.push(result);
  }
  return { converted, refused };
}

type Refusal = Omit<RefusedRule, 'rule'>;

/** The first attempt that does the same as the rule; else why the last of them does not. */
function convertRule(
  policy: PolicyObject,
  rule: RuleSpec,
  path: string,
  options: Required<ConvertOptions>,
): ConvertedRule | Refusal {
  let refusal: Refusal = { path, reason: 'nothing in it can be converted' };
  try {
    for (const attempt of attemptsOf(policy, rule, path)) {
      const result = tryAttempt(attempt, policy, path, options);
      if (!('reason' in result)) return result;
      refusal = result;
    }
  } catch (thrown) {
    if (!(thrown instanceof NotConvertible)) throw thrown;
    return { path: thrown.path, reason: thrown.reason };
  }
  return refusal;
}

function tryAttempt(
  attempt: Attempt,
  policy: PolicyObject,
  path: string,
  { samples, seed }: Required<ConvertOptions>,
): ConvertedRule | Refusal {
  try {
    const converted = attempt();
    for (const one of [converted.policy, ...converted.derived]) {
      const [issue] = compilePolicy(one).issues.filter(({ severity }) => severity === 'error');
      if (issue) return { path, reason: `the conversion does not compile: ${issue.path}: ${issue.message}` };
    }
    const rules = (policy.spec.rules ?? []).filter(({ name }) => name === converted.rule);
    const { program, issues } = compilePolicy({ ...policy, spec: { ...policy.spec, rules } });
    if (program === undefined)
      return { path, reason: issues.map(({ path: at, message }) => `${at}: ${message}`).join('; ') };
    const { difference, notes } = findDifference(program, converted, { samples, seed });
    if (difference) return { path, reason: renderDifference(difference) };
    return { ...converted, notes: [...converted.notes, ...notes.map((note) => `${path}: ${note}`)] };
  } catch (thrown) {
    if (!(thrown instanceof NotConvertible)) throw thrown;
    return { path: thrown.path || path, reason: thrown.reason };
  }
}
