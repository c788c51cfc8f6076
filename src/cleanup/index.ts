/**
 * Deletes objects at certain times: DeletingPolicies and NamespacedDeletingPolicies, as Kyverno's cleanup controller does.
 * Not here: what the policies mean (policy), and classic CleanupPolicies, which are not supported.
 *
 * Invariants: what is deleted was read from the API server in the same run, matched in exactly the state that is deleted,
 * and was matched by the policy as it is stored; a policy of a namespace deletes objects of that namespace only, of kinds
 * that the administrator allows; what the API server did not confirm is not counted.
 */
export { createCleanup } from './cleanup.ts';
export { createCleanupMetrics } from './metrics.ts';
