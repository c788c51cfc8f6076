import { SupercargoError } from '../base/index.ts';

/** Something in a policy that can only be seen while it runs; ends as a rule result `error`, never as an exception of the caller's. */
export class PolicyError extends SupercargoError {}
