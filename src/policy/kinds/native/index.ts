/**
 * ValidatingAdmissionPolicy and MutatingAdmissionPolicy, judged on files: a cluster evaluates them by itself. They come
 * with their bindings; without one the policy is judged by its own constraints alone.
 */
export { mutatingAdmissionKind, validatingAdmissionKind } from './kind.ts';
