import type { ImageDetected } from '../api/index.ts';
import { findCondition, keyOf } from '../object/index.ts';
import type { DuplicateCheck } from './duplicate.ts';

/**
 * Detections that are about the same thing: one repository, or one base name, and one prefix. Of these one is worked
 * on at a time, so that the second sees what became of the first.
 */
export function lineageOf({ spec }: Pick<ImageDetected, 'spec'>, check: DuplicateCheck): string {
  const image = spec.fullImageName.slice(0, -spec.imageTag.length - 1);
  const subject = check === 'baseName' ? image.slice(image.lastIndexOf('/') + 1) : image;
  return `${subject}\n${spec.tagPrefix ?? ''}`;
}

/** Newer in the order of detection, which never goes back; the name decides within one second. */
export function isNewer(a: ImageDetected, b: ImageDetected): boolean {
  const [left, right] = [Date.parse(a.spec.detectedAt), Date.parse(b.spec.detectedAt)];
  return left === right ? (a.metadata.name ?? '') > (b.metadata.name ?? '') : left > right;
}

export const isCommitted = ({ status }: ImageDetected): boolean =>
  status?.phase === 'Completed' && status.resourceCreated === true;

/** After these nobody knows whether a push arrived. */
const uncertain: ReadonlySet<string | undefined> = new Set(['GitUnreachable', 'GitTimeout', 'GitFailed']);

/** A process died, or lost sight of the server, between the push and the news of it. */
function isUnknown({ status }: ImageDetected): boolean {
  if (status?.phase === 'Completed' || (status?.attempts ?? 0) === 0) return false;
  return status?.phase !== 'Failed' || uncertain.has(findCondition(status.conditions, 'Ready')?.reason);
}

const isOpen = (one: ImageDetected): boolean =>
  isUnknown(one) || (one.status?.phase !== 'Completed' && one.status?.phase !== 'Failed');

/**
 * Who has to be settled before this one: first those whose fate is unknown, then the newest, so that the first manifest
 * has the newest version and nothing goes back.
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

/** A later detection that was committed: to commit this one now would go back. */
export function findSuccessor(detection: ImageDetected, siblings: readonly ImageDetected[]): ImageDetected | undefined {
  return siblings.find((other) => keyOf(other) !== keyOf(detection) && isCommitted(other) && isNewer(other, detection));
}
