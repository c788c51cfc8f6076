/**
 * Admission control by policies: mutation, validation, warnings and events; the webhooks that policies need; and the
 * status of policies. Other features receive results through `OnResults`. The transport of reviews is in `webhook`, the
 * semantics of rules in `policy`.
 *
 * Invariants: an error in a policy is a result of that policy, and denies a request only under its own failurePolicy
 * Fail; audit rules never delay a response; a policy without admission rules registers no webhook; work after the
 * response is bounded, and dropped when it does not fit.
 */

export { createAuditQueue } from './audit-queue.ts';
export { createBudgetConditions, isOverBudget } from './budget-conditions.ts';
export { checkRegistration, createCheckReviewer } from './check-reviewer.ts';
export { defaultOmittedEvents, hasEvents, recordEvents } from './events.ts';
export { createGlobalContextStatus } from './global-context-status.ts';
export { createAdmissionMetrics } from './metrics.ts';
export { createPolicyReviewers } from './policy-reviewers.ts';
export type { PolicyProblem, PolicyProblems } from './policy-status.ts';
export { createPolicyRegistrations } from './registrations.ts';
export { defaultResourceFilters, parseResourceFilters } from './resource-filters.ts';
export type { OnResults } from './results.ts';
export { createStatusController, type PolicyWebhook } from './status-controller.ts';
