/**
 * Image mirroring: rewrites workloads to copies of their images in a backup registry, at admission or afterwards.
 * Requested copies are stored in the cluster as MirroredImage objects; the leader copies, every replica serves
 * admission. It does not decide which images are allowed; that is up to policies.
 *
 * Invariants: a reference is rewritten only after the copy was found in the registry with the resolved digest. Objects
 * of a controller are never rewritten (except pods in `pods` mode). A dry run causes no copy. The original image is
 * recorded on the object. Nothing is copied from the target registry, or to anywhere else.
 */

export { type CopyControllerOptions, createCopyController } from './copy-controller.ts';
export { type CopyImage, type CopyImageOptions, type CopyTask, createCopyImage } from './copy-image.ts';
export { createPullSecretProblem, type PullSecretProblem } from './copy-pull-secret.ts';
export { pullSecretSource } from './credentials.ts';
export { type CopyNames, createCopyNames } from './desired-copies.ts';
export { createFairSlots, type FairSlots, type FairSlotsOptions } from './fair-slots.ts';
export { createMirrorMetrics, type MirrorMetrics } from './metrics.ts';
export {
  type CopyState,
  createMirroredImageStore,
  type MirroredImageStore,
  type MirroredImageStoreOptions,
  type MirrorRequest,
} from './mirrored-image-store.ts';
export { imagesWithCopyIn, mirroredImageInformer, namespacesOfImage } from './mirrored-images.ts';
export { createNameClaims, type NameClaims, noClaims } from './name-claims.ts';
export { type CopyPresence, createCopyPresence, type HeadCopy } from './presence.ts';
export { type MirrorRegistrationOptions, mirrorPaths, mirrorRegistration } from './registration.ts';
export { createMirrorReviewer, type ReviewerOptions } from './reviewer.ts';
export { createRewriteController, type RewriteControllerOptions, workloadKey } from './rewrite-controller.ts';
export type { MirrorSettings } from './settings.ts';
export { workloadKinds } from './workload.ts';
