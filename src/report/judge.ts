import type { GroupVersionKind, KubeObject } from '../object/index.ts';
import {
  createEvaluation,
  type ExceptionProgram,
  type LookUpAnswer,
  type PolicyProgram,
  type PolicyRequest,
  type RuleResult,
} from '../policy/index.ts';
import { evaluate, type LookUps } from '../runtime/index.ts';
import { contentOf, type ResultContent } from './result.ts';
import { type Plan, programFor, reportedPhases } from './scope.ts';

export interface Subject {
  readonly object: KubeObject;
  readonly kind: GroupVersionKind;
  readonly namespaceLabels: Readonly<Record<string, string>>;
}

export interface JudgeOptions {
  readonly exceptions: readonly ExceptionProgram[];
  /** For one policy, so that it is known which policy asked for what. */
  readonly lookUpsFor: (policy: string) => LookUps;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** What one policy says of an object; nothing at all is an answer, too. */
export interface Judgement {
  readonly program: PolicyProgram;
  readonly contents: readonly ResultContent[];
}

const nothingKnown: ReadonlyMap<string, LookUpAnswer> = new Map();

/** Judges an object as it stands by every plan. Only plans that look something up make it wait. */
export async function judge(
  subject: Subject,
  plans: readonly Plan[],
  options: JudgeOptions,
): Promise<readonly Judgement[]> {
  const request = requestOf(subject, options.now);
  const judgements = plans.map((plan) => ({
    plan,
    program: programFor(plan, subject.object),
    contents: [] as ResultContent[],
  }));
  const asking: typeof judgements = [];
  for (const phase of reportedPhases) {
    for (const one of judgements) {
      const { plan, program } = one;
      if (!program || asking.includes(one) || !program.rules.some((rule) => rule.phase === phase)) continue;
      const evaluation = createEvaluation(alone(program), request, { phase, exceptions: options.exceptions });
      if (evaluation.advance(nothingKnown).length > 0) asking.push(one);
      else for (const result of evaluation.results) one.contents.push(reported(result, plan));
    }
  }
  for (const one of asking) one.contents = await askAndJudge(one.program!, one.plan, request, options);
  return judgements.map(({ plan, contents }) => ({ program: plan.program, contents }));
}

async function askAndJudge(
  program: PolicyProgram,
  plan: Plan,
  request: PolicyRequest,
  { exceptions, lookUpsFor, signal }: JudgeOptions,
): Promise<ResultContent[]> {
  const contents: ResultContent[] = [];
  const known = new Map<string, LookUpAnswer>();
  const lookUps = lookUpsFor(program.key);
  for (const phase of reportedPhases) {
    const { results } = await evaluate(alone(program), request, { phase, exceptions, lookUps, signal, known });
    for (const result of results) contents.push(reported(result, plan));
  }
  return contents;
}

const lists = new WeakMap<PolicyProgram, readonly PolicyProgram[]>();

/** The same list every time: what a list of policies has for a kind of object is found once per list. */
function alone(program: PolicyProgram): readonly PolicyProgram[] {
  let list = lists.get(program);
  if (!list) lists.set(program, (list = [program]));
  return list;
}

/** The rule's head is the whole policy's, whatever part of it was run. */
function reported(result: RuleResult, { program }: Plan): ResultContent {
  return contentOf({ ...result, policy: program }, 'background');
}

/** Reports judge what is there: as if it were created just now, by nobody. */
function requestOf({ object, kind, namespaceLabels }: Subject, now: number): PolicyRequest {
  return {
    operation: 'CREATE',
    kind,
    subresource: '',
    object,
    namespaceLabels,
    uid: object.metadata.uid ?? '',
    now,
  };
}
