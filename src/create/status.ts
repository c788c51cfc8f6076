import type { ImageDetected } from '../api/index.ts';
import { rfc3339 } from '../base/index.ts';
import { type NextCondition, setCondition } from '../object/index.ts';
import type { SkipReason } from './duplicate.ts';
import type { DetectionFailure } from './failure.ts';

type Status = NonNullable<ImageDetected['status']>;

/** Every transition of a detection. `committed` and `skipped` are final; a failure may be retried. */
export type DetectionTransition =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message: string }
  | { readonly kind: 'processing' }
  | { readonly kind: 'committed'; readonly commit: string; readonly files: readonly string[]; readonly message: string }
  | { readonly kind: 'skipped'; readonly reason: SkipReason; readonly message: string }
  | { readonly kind: 'failed'; readonly failure: DetectionFailure };

export type FinalTransition = Exclude<DetectionTransition, { kind: 'waiting' | 'processing' }>;

const maxMessage = 2048;

/** The status after a transition, with the messages that `kubectl describe` shows. Pure. */
export function nextDetectionStatus(detection: ImageDetected, step: DetectionTransition, nowMs: number): Status {
  const { status = {}, metadata } = detection;
  const observed = metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
  let { conditions } = status;
  for (const condition of conditionsOf(step))
    conditions = setCondition(conditions, { ...condition, ...observed }, nowMs);
  const common = { ...status, conditions: conditions! };
  switch (step.kind) {
    case 'waiting':
      return { ...common, phase: 'Pending', message: step.message };
    case 'processing':
      return { ...common, phase: 'Processing', message: 'rendering and committing', attempts: attemptsOf(status) + 1 };
    case 'committed':
      return {
        ...common,
        phase: 'Completed',
        resourceCreated: true,
        gitCommitSHA: step.commit,
        files: step.files,
        processedAt: rfc3339(nowMs),
        message: short(step.message),
      };
    case 'skipped':
      return {
        ...common,
        phase: 'Completed',
        resourceCreated: false,
        processedAt: rfc3339(nowMs),
        message: short(step.message),
      };
    case 'failed':
      return {
        ...common,
        phase: 'Failed',
        resourceCreated: false,
        processedAt: rfc3339(nowMs),
        message: short(step.failure.message),
      };
  }
}

export const attemptsOf = (status: ImageDetected['status']): number => status?.attempts ?? 0;

const short = (text: string) => (text.length > maxMessage ? `${text.slice(0, maxMessage - 1)}…` : text);

function conditionsOf(step: DetectionTransition): readonly NextCondition[] {
  const condition = (type: string, isTrue: boolean, reason: string, message: string): NextCondition => ({
    type,
    status: isTrue ? 'True' : 'False',
    reason,
    message: short(message),
  });
  const settled = condition('Reconciling', false, 'Done', 'nothing to do');
  const moving = condition('Stalled', false, 'Progressing', 'no problem found');
  switch (step.kind) {
    case 'waiting':
      return [
        condition('Ready', false, step.reason, step.message),
        condition('Reconciling', true, step.reason, step.message),
        moving,
      ];
    case 'processing':
      return [
        condition('Ready', false, 'Processing', 'rendering and committing'),
        condition('Reconciling', true, 'Processing', 'rendering and committing'),
        moving,
      ];
    case 'committed':
      return [condition('Ready', true, 'Committed', step.message), settled, moving];
    case 'skipped':
      return [condition('Ready', true, step.reason, step.message), settled, moving];
    case 'failed': {
      const { reason, message, pace } = step.failure;
      const isStalled = pace === 'change';
      return [
        condition('Ready', false, reason, message),
        isStalled
          ? condition('Reconciling', false, 'Stalled', 'waiting for a change')
          : condition('Reconciling', true, 'Retrying', 'it will be retried'),
        isStalled ? condition('Stalled', true, reason, message) : moving,
      ];
    }
  }
}
