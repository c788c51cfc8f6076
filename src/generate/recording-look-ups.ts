import { isKubeError, type KubeError } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { LookUps } from '../runtime/index.ts';

interface LookUpRecording {
  /** Objects looked up by kind: clone sources and targets. */
  readonly found: readonly KubeObject[];
  /** The look-up that was forbidden: the cause of a rule's error. */
  readonly refused: KubeError | undefined;
  readonly lookUps: LookUps;
}

/** Wraps look-ups and records their results. */
export function recordLookUps(lookUps: LookUps): LookUpRecording {
  const found: KubeObject[] = [];
  let refused: KubeError | undefined;
  return {
    found,
    get refused() {
      return refused;
    },
    lookUps: {
      async answer(lookUp, signal) {
        try {
          const answer = await lookUps.answer(lookUp, signal);
          if (lookUp.kind === 'resources' && answer.ok) found.push(...(answer.value as readonly KubeObject[]));
          return answer;
        } catch (thrown) {
          if (isKubeError(thrown, 'kube-forbidden')) refused = thrown;
          throw thrown;
        }
      },
    },
  };
}
