import { isKubeError, type KubeError } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { LookUps } from '../runtime/index.ts';

export interface LookUpRecording {
  /** Objects that were looked for by kind: clone sources and targets. */
  readonly found: readonly KubeObject[];
  /** A look-up that was refused: the real reason of a rule's error. */
  readonly refused: KubeError | undefined;
  readonly lookUps: LookUps;
}

/** The same look-ups, with somebody who remembers what they brought. */
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
