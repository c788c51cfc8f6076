/**
 * The live policies, compiled from informers, and the driver that evaluates them with look-ups from the cluster. What
 * to do with results is decided by the features.
 *
 * Invariants: a revision of a policy is compiled once; a policy set is immutable, so it does not change during a request;
 * a failed look-up is a value, so that it affects only the rules that need it.
 */

export { type CustomSchemas, createCustomSchemas } from './custom-schemas.ts';
export { evaluate, type LookUps, type ReadyLookUps } from './evaluate.ts';
export { createEvaluationTurns, type EvaluationTurns } from './evaluation-turns.ts';
export { type GlobalContext, globalContextType } from './global-context.ts';
export { findKyverno } from './kyverno.ts';
export {
  celExceptionType,
  celPolicyTypes,
  createLivePolicies,
  deletingPolicyTypes,
  exceptionsCountForAll,
  type LivePolicies,
  type LivePolicy,
  type PolicyChange,
  parsePolicyKey,
  policyTypes,
  typeOfPolicy,
} from './live-policies.ts';
export { createLookUps, type ImageData, type LiveLookUps } from './look-ups.ts';
export { createNamespaces, type Namespaces, type WatchedNamespaces } from './namespaces.ts';
export { createPolicySet, type PolicySet } from './policy-set.ts';
export { createRoles, type Roles } from './roles.ts';
