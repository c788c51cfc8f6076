import type { ImageResourcePolicy, LastDetected, SeenTags } from '../api/index.ts';
import { rfc3339 } from '../base/index.ts';
import { type NextCondition, setCondition } from '../object/index.ts';
import type { KnownImage } from './new-detections.ts';
import type { Scan } from './scan.ts';

type Status = NonNullable<ImageResourcePolicy['status']>;

interface Scanned {
  readonly scan: Scan;
  readonly detected: number;
  /** Chosen, but not taken because something newer was detected before. */
  readonly kept?: readonly KnownImage[];
}

/** The result of one reconcile of a policy. */
export type ScanOutcome =
  | (Scanned & {
      readonly kind: 'scanned';
      readonly last: readonly LastDetected[];
      readonly seen?: SeenTags | undefined;
    })
  /** Failed, and to be retried. */
  | { readonly kind: 'failed'; readonly message: string }
  /** Needs a change of the policy or of what it refers to. */
  | { readonly kind: 'stalled'; readonly reason: string; readonly message: string }
  | { readonly kind: 'suspended' };

/** The policy's next status, with the messages that `kubectl describe` shows. Pure. */
export function nextPolicyStatus(policy: ImageResourcePolicy, outcome: ScanOutcome, nowMs: number): Status {
  const { generation } = policy.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  let conditions = policy.status?.conditions;
  for (const condition of conditionsOf(outcome))
    conditions = setCondition(conditions, { ...condition, ...observed }, nowMs);
  const status: Status = { ...policy.status, ...observed, ...(conditions ? { conditions } : {}) };
  if (outcome.kind === 'failed') return { ...status, lastScanTime: rfc3339(nowMs) };
  if (outcome.kind !== 'scanned') return status;
  const { scan, detected, last, seen } = outcome;
  const { seenTags: _, ...others } = status;
  return {
    ...others,
    ...(seen ? { seenTags: seen } : {}),
    lastScanTime: rfc3339(nowMs),
    repositories: scan.repositories,
    images: scan.images,
    detected: (policy.status?.detected ?? 0) + detected,
    lastDetected: last,
  };
}

function conditionsOf(outcome: ScanOutcome): readonly NextCondition[] {
  const condition = (type: string, isTrue: boolean, reason: string, message: string): NextCondition => ({
    type,
    status: isTrue ? 'True' : 'False',
    reason,
    message,
  });
  const settled = condition('Reconciling', false, 'Idle', 'waiting for the next scan');
  const moving = condition('Stalled', false, 'Progressing', 'no problem found');
  switch (outcome.kind) {
    case 'scanned': {
      const { failures, missing } = outcome.scan;
      const problem = failures.length > 0 ? 'PartialFailure' : missing === undefined ? undefined : 'RepositoryNotFound';
      return [condition('Ready', problem === undefined, problem ?? 'Scanned', scanSummary(outcome)), settled, moving];
    }
    case 'failed':
      return [
        condition('Ready', false, 'ScanFailed', outcome.message),
        condition('Reconciling', true, 'Retrying', 'the scan will be retried'),
        moving,
      ];
    case 'stalled':
      return [
        condition('Ready', false, outcome.reason, outcome.message),
        condition('Reconciling', false, 'Stalled', 'waiting for a change'),
        condition('Stalled', true, outcome.reason, outcome.message),
      ];
    case 'suspended':
      return [condition('Ready', false, 'Suspended', 'spec.suspend is true: nothing is scanned'), settled, moving];
  }
}

export function scanSummary({ scan, detected, kept = [] }: Scanned): string {
  const { repositories, images, copies, isTruncated, failures, chosen, missing } = scan;
  const parts = [`scanned ${images} tags of ${repositories} repositories`];
  if (copies > 0) parts.push(`excluded ${copies} repositories that hold copies of other images`);
  if (missing !== undefined)
    parts.push(`the repository ${missing} does not exist or has no tag: check repositoryPattern and the credentials`);
  else if (repositories === 0 && copies === 0) parts.push('no repository matches the pattern');
  else if (repositories === 0) parts.push('no other repository matches the pattern');
  else if (chosen.length === 0 && failures.length === 0) parts.push('no tag matches the policy');
  else parts.push(`${chosen.length} chosen, ${detected} of them new`);
  const [held] = kept;
  if (held)
    parts.push(
      `${held.image.repository}:${held.image.tag} is not taken: ${held.reason}${kept.length > 1 ? ` (and ${kept.length - 1} more)` : ''}`,
    );
  if (isTruncated) parts.push('more repositories match than maxRepositories allows');
  const [first] = failures;
  if (first)
    parts.push(
      `${failures.length} repositories could not be read, the first: ${first.repository}: ${first.message.slice(0, 300)}`,
    );
  return parts.join('; ');
}
