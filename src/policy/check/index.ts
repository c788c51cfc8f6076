/**
 * Validation of policies. `checkPolicy` returns issues: a stable code, the field, and a message. It is the admission
 * check of policies and the first step of compiling one: a policy without errors has the structure of its types, and
 * compiles.
 *
 * It reads only the policy. Whether kinds exist, or the engine may access them, is known only to a cluster. The only
 * external input is the scope of a kind, which is optional.
 */
export { checkPolicy } from './check.ts';
export { checkException } from './exception.ts';
export { policyIssueCodes } from './issues.ts';
