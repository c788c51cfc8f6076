/**
 * Is this a policy that can run? `checkPolicy` answers with issues: a stable code, the field, and what is wrong. It is
 * the admission check of policies and the first step of compiling one: what passes here has the structure that the
 * types promise, and compiles.
 *
 * It looks at the policy alone. Whether kinds exist, or the engine may touch them, is known only to a cluster; the one
 * thing it asks for is the scope of a kind, and it manages without an answer.
 */
export { type CheckOptions, checkPolicy } from './check.ts';
export { checkException } from './exception.ts';
export { type PolicyIssueCode, policyIssueCodes } from './issues.ts';
export { maxPolicyBytes, maxPolicyDepth, maxRules, maxStars } from './limits.ts';
export { builtInScope, type ScopeOf } from './scope.ts';
