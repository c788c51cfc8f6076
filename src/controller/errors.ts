import { errorMessage, SupercargoError } from '../base/index.ts';

/** Every error that this folder creates. Codes start with `controller-`. */
export class ControllerError extends SupercargoError {}

/**
 * Work did not stop in time after its signal aborted. The caller must assume that it still runs: a lease that protects
 * it must expire and is never released.
 */
export class StillRunningError extends ControllerError {}

/** `errorMessage`, also for values whose conversion to text throws (`throw Object.create(null)`). */
export function describeThrown(thrown: unknown): string {
  try {
    return errorMessage(thrown);
  } catch {
    return `a thrown ${typeof thrown} that cannot be shown as text`;
  }
}
