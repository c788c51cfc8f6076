/**
 * Detection: which images of a registry a policy selects, and which of their tags are new. The selection is pure; the
 * sources read registries, and the controller writes `ImageDetected` objects. It does not render templates and does not
 * know Git.
 *
 * Invariants: the selection does not depend on the order of a registry's response; nothing is detected twice and
 * nothing is downgraded; an invalid pattern or range selects nothing and reports why.
 */
export { createDetector } from './controller.ts';
export { ecrSource } from './ecr-source.ts';
export { createExpiry } from './expiry.ts';
export { defaultConcurrentScans, type ImageSource, type IsCopy } from './image-source.ts';
export { createDetectMetrics } from './metrics.ts';
export { ociSource } from './oci-source.ts';
export { createOpenSource } from './open-source.ts';
export { compileImagePattern } from './pattern.ts';
export { type Scan, scan } from './scan.ts';
export { compileSelection, SelectionError } from './selection.ts';
