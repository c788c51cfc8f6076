/**
 * What expressions of a rule see: the request, its images, the rule's context entries, foreach elements. Layers over
 * layers, each entry worked out when an expression first asks; what must be fetched is asked for with `Need`.
 */
export { type ContextEnvironment, type ContextLoader, compileContext } from './entries.ts';
export { type ImageInfo, parseImage } from './image-info.ts';
export { type ImageEntry, type ImageMap, imagesOf } from './images.ts';
export { askFor, type Known, type LookUp, type LookUpAnswer, lookUpKey, Need } from './look-up.ts';
export { requestScope } from './request-scope.ts';
export { ElementLayer, Layer, layerOf, mergeDeep } from './scope.ts';
