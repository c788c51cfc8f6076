/**
 * Which image runs where, by source identity: a workload whose image was replaced by its copy counts as running the
 * original. Kept in memory by watches. What to do with it is up to the features.
 *
 * Invariants: a look-up costs a map access, however large the cluster; memory grows with the number of workloads and
 * not with their size; an object created by a controller is counted once, at its owner.
 */
export { ImageIndex, type ImageUse } from './image-index.ts';
export { createInventory, type Inventory, type WorkloadImages, workloadInformer, workloadTypes } from './inventory.ts';
export { pullSecretsOf } from './pull-secrets.ts';
export { readSourceImages, renderSourceImages, sourceImagesAnnotation } from './source-images.ts';
export { type ContainerImage, imagesOfWorkload } from './workload-images.ts';
