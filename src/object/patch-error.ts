import { SupercargoError } from '../base/index.ts';

/**
 * A patch that was not applied. `object-patch-invalid`: it is malformed; `object-patch-inapplicable`: it does not fit
 * the document; `object-patch-test-failed`: a `test` operation failed; `object-patch-too-large`: applying it would
 * exceed a limit. An API server returns 400, 422, 422 and 413.
 */
export class PatchError extends SupercargoError {
  constructor(what: 'invalid' | 'inapplicable' | 'test-failed' | 'too-large', message: string) {
    super(`object-patch-${what}`, message);
  }
}
