/**
 * Detection: which images of a registry a policy selects, and which of their tags are new. The selection is pure; the
 * sources read registries, and the controller writes `ImageDetected` objects. It does not render templates and does not
 * know Git.
 *
 * Invariants: the selection does not depend on the order of a registry's response; nothing is detected twice and
 * nothing is downgraded; an invalid pattern or range selects nothing and reports why.
 */
export type { TagCandidate, TagDecision } from './candidate.ts';
export { createDetector, type DetectorOptions } from './controller.ts';
export { clashingName, type DetectedIdentity, detectedName, imageNameOf } from './detected-name.ts';
export { type EcrSourceOptions, ecrSource } from './ecr-source.ts';
export { createExpiry, type ExpiryOptions } from './expiry.ts';
export { defaultConcurrentScans, type ImageSource, type IsCopy, type SourceRepository } from './image-source.ts';
export { createDetectMetrics, type DetectMetrics } from './metrics.ts';
export { findNewDetections, type NewDetections, updateLastDetected } from './new-detections.ts';
export { ociSource } from './oci-source.ts';
export { createOpenSource, type OpenSource, type OpenSourceOptions } from './open-source.ts';
export { compileImagePattern, type ImageMatcher, PatternError, type RepositoryPatterns } from './pattern.ts';
export { type ChosenImage, type Scan, type ScanOptions, scan } from './scan.ts';
export { type ScanOutcome, scanSummary } from './scan-outcome.ts';
export { compileSelection, type Selection, SelectionError, type SelectionSpec } from './selection.ts';
