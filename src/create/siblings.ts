import type { ImageDetected } from '../api/index.ts';
import { findCondition, keyOf } from '../object/index.ts';
import type { DuplicateCheck } from './duplicate.ts';

/**
 * Detections of one lineage: the same repository or base name, and the same prefix. Only one is processed at a time, so
 * that the second sees the result of the first.
 */
export function lineageOf({ spec }: Pick<ImageDetected, 'spec'>, check: DuplicateCheck): string {
  const image = spec.fullImageName.slice(0, -spec.imageTag.length - 1);
  const subject = check === 'baseName' ? image.slice(image.lastIndexOf('/') + 1) : image;
  return `${subject}\n${spec.tagPrefix ?? ''}`;
}

/** Newer by detection time, which only increases; within one second the name decides. */
function isNewer(a: ImageDetected, b: ImageDetected): boolean {
  const [left, right] = [Date.parse(a.spec.detectedAt), Date.parse(b.spec.detectedAt)];
  return left === right ? (a.metadata.name ?? '') > (b.metadata.name ?? '') : left > right;
}

export const isCommitted = ({ status }: ImageDetected): boolean =>
  status?.phase === 'Completed' && status.resourceCreated === true;

/** After these reasons it is unknown whether a push arrived. */
const uncertain: ReadonlySet<string | undefined> = new Set(['GitUnreachable', 'GitTimeout', 'GitFailed']);

/** A process died or lost the server between the push and the status update. */
function isUnknown({ status }: ImageDetected): boolean {
  if (status?.phase === 'Completed' || (status?.attempts ?? 0) === 0) return false;
  return status?.phase !== 'Failed' || uncertain.has(findCondition(status.conditions, 'Ready')?.reason);
}

const isOpen = (one: ImageDetected): boolean =>
  isUnknown(one) || (one.status?.phase !== 'Completed' && one.status?.phase !== 'Failed');

/**
 * The detection to settle before this one: first those with an unknown push, then the newest, so that the first
 * manifest has the newest version and nothing is downgraded.
 */
export function findPredecessor(
  detection: ImageDetected,
  siblings: readonly ImageDetected[],
): ImageDetected | undefined {
  return siblings.find(
    (other) =>
      keyOf(other) !== keyOf(detection) &&
      isOpen(other) &&
      (isUnknown(other) === isUnknown(detection) ? isNewer(other, detection) : isUnknown(other)),
  );
}

/** A newer detection that was committed. Committing this one now would be a downgrade. */
export function findSuccessor(detection: ImageDetected, siblings: readonly ImageDetected[]): ImageDetected | undefined {
  return siblings.find((other) => keyOf(other) !== keyOf(detection) && isCommitted(other) && isNewer(other, detection));
}
