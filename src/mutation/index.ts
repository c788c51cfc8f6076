/**
 * Mutations that CEL expressions describe: the value of an expression, an apply configuration or a list of JSON patch
 * operations, applied to an object. Shared by mutating policies of the engine and of the embedded API server.
 *
 * Invariants: no input is changed; a mutation that cannot be applied is a result with the words of the API server, never
 * an exception; the size of what a mutation writes is bounded.
 */
export { applyConfiguration } from './apply-configuration.ts';
export { applyPatchValue } from './apply-patch.ts';
export type { MutationResult } from './result.ts';
