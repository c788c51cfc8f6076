import { errorMessage, SupercargoError } from '../base/index.ts';

/** Everything this folder throws of its own. Codes begin with `controller-`. */
export class ControllerError extends SupercargoError {}

/**
 * Work that was told to stop did not stop in time. Whoever catches it must assume that the work still goes on:
 * a lease that protects it is left to expire, never released.
 */
export class StillRunningError extends ControllerError {}

/** `errorMessage`, for values so odd that turning them into text throws as well (`throw Object.create(null)`). */
export function describeThrown(thrown: unknown): string {
  try {
    return errorMessage(thrown);
  } catch {
    return `a thrown ${typeof thrown} that cannot be shown as text`;
  }
}
