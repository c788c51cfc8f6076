/**
 * Requests judged by policies: what is changed, refused, warned of and told; which webhooks that takes; and the status
 * of policies. Other features hear of results through `OnResults`. How reviews arrive is the webhook's business, what
 * rules mean is the engine's.
 *
 * Invariants: a policy's trouble is that policy's result, and refuses a request only under its own failurePolicy Fail;
 * rules that refuse nothing keep nobody waiting; a policy without rules for requests registers nothing; work after the
 * answer is bounded and dropped rather than piled up.
 */

export { type AuditQueue, type AuditQueueLimits, createAuditQueue } from './audit-queue.ts';
export { createBudgetConditions, isOverBudget } from './budget-conditions.ts';
export { checkRegistration, createCheckReviewer } from './check-reviewer.ts';
export { defaultOmittedEvents, type EventReason, eventReasons, hasEvents, recordEvents } from './events.ts';
export { type AdmissionMetrics, createAdmissionMetrics } from './metrics.ts';
export { createPolicyReviewers, type PolicyReviewersOptions } from './policy-reviewers.ts';
export type { PolicyProblem, PolicyProblems } from './policy-status.ts';
export {
  createPolicyRegistrations,
  type PolicyRegistrations,
  type PolicyRegistrationsOptions,
} from './registrations.ts';
export { defaultResourceFilters, parseResourceFilters, type ResourceFilters } from './resource-filters.ts';
export type { AdmissionResults, OnResults } from './results.ts';
export { createStatusController, type StatusControllerOptions } from './status-controller.ts';
