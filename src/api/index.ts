/**
 * Our custom resources as data: their names, schemas and columns. `manifests/crds` is generated from here (`npm run
 * generate:manifests`). The policy engine defines what policies mean; a schema only declares the fields, so that the
 * API server validates them.
 */
export { customResourceDefinitions } from './custom-resources.ts';
export { definitions } from './definitions.ts';
export {
  allowFromAnnotation,
  allowsReferenceFrom,
  type ImageDetected,
  type ImageResourcePolicy,
  type ImageResourcePolicySpec,
  imageResourcePolicies,
  imagesDetected,
  type LastDetected,
  type ResourceTemplate,
  resourceTemplates,
  type SeenTags,
} from './detection.ts';
export { expiresInMs } from './expiry.ts';
export { type MirroredImage, mirroredImageName, mirroredImages, type PullSecretRef } from './mirrored-image.ts';
export { ownerLabel } from './owner.ts';
