/**
 * The clone of every image: workloads are rewritten to copies in a backup registry, as they are admitted or later. What
 * is to be copied is kept in the cluster as MirroredImage objects; the leader copies, every replica answers admission.
 *
 * Invariants: a reference is rewritten only after the copy was seen in the registry with the digest that was resolved;
 * what a controller made is never rewritten (pods in `pods` mode excepted); a dry run causes no copy; the original is
 * noted on the object; nothing is copied from where copies go, or to anywhere else.
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
