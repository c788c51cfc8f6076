/**
 * Admission policies in CEL: which of them a request meets, with which params, and what they say of it. Policies and
 * bindings come from the store; what is compiled is kept until they change.
 */
export { createPolicies, type Policies } from './policies.ts';
