/**
 * Our custom resources as data: their names, schemas and columns. The manifests in `manifests/crds` are written from
 * here (`npm run generate:manifests`). What policies mean is the engine's business; a schema says only which fields
 * there are, so that the API server answers for them.
 */
export { customResourceDefinitions } from './custom-resources.ts';
export { type Column, type Definition, definitions } from './definitions.ts';
export {
  allowFromAnnotation,
  allowsReferenceFrom,
  type EcrRepository,
  type GitRepository,
  type ImageDetected,
  type ImageResourcePolicy,
  type ImageResourcePolicySpec,
  imageResourcePolicies,
  imagesDetected,
  type LastDetected,
  type NamespacedRef,
  type OciRepository,
  type ResourceTemplate,
  resourceTemplates,
  type SeenTags,
} from './detection.ts';
export { expiresInMs } from './expiry.ts';
export { type MirroredImage, mirroredImageName, mirroredImages, type PullSecretRef } from './mirrored-image.ts';
export { ownerLabel } from './owner.ts';
