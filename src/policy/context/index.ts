/**
 * The scope of a rule's expressions: the request, its images, the context entries of the rule, foreach elements. A stack
 * of layers whose entries are computed on first access. A look-up that is not known yet is requested by throwing `Need`.
 */
export { type ContextEnvironment, type ContextLoader, compileContext } from './entries.ts';
export { imagesOf } from './images.ts';
export {
  askFor,
  findAnswer,
  type Known,
  type LookUp,
  type LookUpAnswer,
  type LookUpSubject,
  lookUpKey,
  Need,
} from './look-up.ts';
export { requestScope } from './request-scope.ts';
export { ElementLayer, layerOf, mergeDeep } from './scope.ts';
