/**
 * Generate and mutate-existing rules: objects that are made or changed because others were written. Works from watches,
 * from a checkpoint on; only what a request alone can tell comes from admission, through an outbox. What rules mean is
 * `policy`'s business; admission itself is not known here.
 *
 * Invariants: a trigger is neither lost nor run again by a restart; a failing trigger holds no other back; creating
 * what exists is success; only objects with our label are ever changed or deleted, apart from the targets that a
 * mutate-existing rule names; an answer that is empty, partial or missing deletes nothing.
 */
export { GenerateError, type GenerateErrorCode } from './errors.ts';
export type { OnPolicyProblem, PolicyProblem } from './generate-recorder.ts';
export { createGenerator, type Generator, type GeneratorOptions } from './generator.ts';
export { oncePerAnnotation, originAnnotation } from './origin.ts';
export type { AdmittedRequest, CollectReview } from './outbox.ts';
export { isAdmissionBound } from './rules.ts';
