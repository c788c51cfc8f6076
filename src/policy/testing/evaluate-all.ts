import { createHash } from 'node:crypto';
import {
  createEvaluation,
  type EvaluationOptions,
  type LookUp,
  type LookUpAnswer,
  lookUpKey,
  type Phase,
  type PolicyProgram,
  type PolicyRequest,
} from '../index.ts';

const phases: readonly Phase[] = ['mutate', 'verifyImages', 'validate', 'generate', 'delete'];

/** One rule result as plain data that can be compared. */
interface RuleSummary {
  readonly phase: Phase;
  readonly rule: string;
  readonly status: string;
  readonly message: string;
  readonly patched?: unknown;
  readonly targets?: unknown;
  readonly generated?: unknown;
}

interface EvaluationSummary {
  readonly rules: readonly RuleSummary[];
  readonly object: unknown;
  /** All answers that were used. */
  readonly known: ReadonlyMap<string, LookUpAnswer>;
  readonly rounds: number;
}

interface EvaluateAllOptions {
  readonly answer?: (lookUp: LookUp) => LookUpAnswer;
  readonly known?: ReadonlyMap<string, LookUpAnswer>;
  readonly evaluation?: Partial<EvaluationOptions>;
}

/** Runs all phases of a request, mutations first, and fetches look-ups with `answer`. */
export function evaluateAll(
  programs: readonly PolicyProgram[],
  request: PolicyRequest,
  options: EvaluateAllOptions = {},
): EvaluationSummary {
  const known = new Map(options.known ?? []);
  const answer = options.answer ?? answerByHash;
  const rules: RuleSummary[] = [];
  let current = request;
  let rounds = 0;
  for (const phase of phases) {
    const evaluation = createEvaluation(programs, current, { phase, ...options.evaluation });
    for (let needs = evaluation.advance(known); needs.length > 0; needs = evaluation.advance(known)) {
      for (const need of needs) known.set(lookUpKey(need), answer(need));
      rounds++;
    }
    for (const { rule, status, message, patched, targets, generated } of evaluation.results)
      rules.push({ phase, rule: rule.name, status, message, patched, targets, generated });
    if (phase === 'mutate' && evaluation.object !== current.object) current = { ...current, object: evaluation.object };
  }
  return { rules, object: current.object, known, rounds };
}

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'found', namespace: 'default', uid: 'u', labels: { a: 'b' } },
  data: { a: 'x' },
};

/** A deterministic answer to each look-up; about every fourth is a failure. */
export function answerByHash(lookUp: LookUp): LookUpAnswer {
  const draw = createHash('sha256').update(lookUpKey(lookUp)).digest()[0]!;
  if (draw % 4 === 0) return { ok: false, message: 'not found' };
  return { ok: true, value: lookUp.kind === 'resources' ? [object] : { ...object, items: [object, 1, null] } };
}
