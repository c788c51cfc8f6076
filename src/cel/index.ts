/**
 * CEL as Kubernetes has it, compiled to closures: the language with its type checker, the libraries of the API server,
 * its limits and its costs. It knows nothing of policies and requests, and does no I/O.
 *
 * Invariants: JSON values are CEL values as they are, and no value is ever changed; an expression that compiles never
 * throws when it is evaluated: errors and unknowns are values; no expression, however hostile, can run for long or take
 * much memory.
 */
export { namespaceType, requestType } from './admission.ts';
export { CelCompileError } from './errors.ts';
export { estimateCost } from './estimate/estimate.ts';
export type { CelStep } from './explain.ts';
export { functionHelp } from './function-help.ts';
export { CelAnswer } from './functions/authorization.ts';
export { authorizerType, CelAuthorizer, resourceCheckType } from './functions/authorizer.ts';
export { kubernetesEnvironment } from './kubernetes.ts';
export { kyvernoEnvironment } from './kyverno.ts';
export { libraryTypes, type PolicyLanguage, policyLanguage } from './kyverno-policies.ts';
export { CelLibrary, type LibraryHost, type LibraryRequest } from './library.ts';
export { callCostLimit } from './limits.ts';
export { jsonPatchListType, misplacedTypes, objectType, withMutations } from './mutation.ts';
export { namesIn, pathsIn } from './names.ts';
export { compile, type Evaluated, type Program, type Variables } from './program.ts';
export { type Compiled, compileFor } from './typed.ts';
export {
  anyType,
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  renderType,
  stringType,
  structType,
  timestampType,
} from './types.ts';
export { documentSize, toDocument, toJson } from './values/json.ts';
export { keyedList } from './values/keyed-list.ts';
export { bytesOf, dateOf, doubleOfNumber, durationOfText, timeOf } from './values/texts.ts';
export { CelError, CelObject, CelOptional, CelUnknown, LazyMap, none } from './values/values.ts';
