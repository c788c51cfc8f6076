/**
 * Generate and mutate-existing rules: creates or changes objects in response to writes of other objects. Triggers come
 * from watches that resume at a checkpoint. Rules that need data of the request itself (user, old object, deletion) get
 * it from admission through an outbox. Rule semantics are in `policy`; this folder does not import `admission`.
 *
 * Invariants: a restart neither loses a trigger nor runs it again. A failing trigger does not block others. Creating
 * what exists is success. Only objects with our label are changed or deleted, except the targets of mutate-existing
 * rules. An empty, partial or missing result deletes nothing.
 */
export type { OnPolicyProblem, PolicyProblem } from './generate-recorder.ts';
export { createGenerator, type Generator } from './generator.ts';
export type { AdmittedRequest } from './outbox.ts';
