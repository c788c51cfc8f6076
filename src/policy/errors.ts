import { SupercargoError } from '../base/index.ts';

/** An error in a policy that is detected at evaluation. It becomes a rule result `error` and never reaches the caller. */
export class PolicyError extends SupercargoError {}
