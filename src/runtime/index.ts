/**
 * The live policies: compiled from what watches tell, and run with look-ups fetched from the cluster. What happens with
 * verdicts is the features' business.
 *
 * Invariants: a revision of a policy is compiled once; a set never changes under a request; a look-up that fails is an
 * answer, so that one policy's trouble stays its own.
 */

export { type LookUpRules, strictLookUpRules } from './confinement.ts';
export { type EvaluateOptions, evaluate, type LookUps, type ReadyLookUps } from './evaluate.ts';
export { createEvaluationTurns, type EvaluationTurns } from './evaluation-turns.ts';
export { findKyverno } from './kyverno.ts';
export {
  createLivePolicies,
  exceptionsCountForAll,
  type LivePolicies,
  type LivePoliciesOptions,
  type LivePolicy,
  type PolicyChange,
  policyKey,
  policyTypes,
} from './live-policies.ts';
export {
  createLookUps,
  type ImageData,
  type LiveLookUps,
  LookUpError,
  type LookUpLimits,
  type LookUpsOptions,
} from './look-ups.ts';
export { createNamespaces, type Namespaces } from './namespaces.ts';
export { createPolicySet, type PolicySet } from './policy-set.ts';
export { type BoundRoles, createRoles, type Roles } from './roles.ts';
export { ServiceCallError } from './service-call.ts';
