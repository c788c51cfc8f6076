import { andThen, type MaybePromise } from '../base/index.ts';
import type { GroupVersionKind, KubeObject } from '../object/index.ts';
import {
  type ExceptionProgram,
  type LookUpAnswer,
  newRequestBudget,
  type PolicyProgram,
  type PolicyRequest,
  type RuleResult,
} from '../policy/index.ts';
import { evaluate, type LookUps } from '../runtime/index.ts';
import { contentOf, type ResultContent } from './result.ts';
import { type ControllerReference, type KindPolicy, programFor, reportedPhases } from './scope.ts';

export interface ScannedObject {
  readonly object: KubeObject;
  readonly kind: GroupVersionKind;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** The object's controllers that are reported on themselves. */
  readonly controllers: readonly ControllerReference[];
}

export interface ObjectEvaluationOptions {
  readonly exceptions: readonly ExceptionProgram[];
  /** Look-ups for one policy, so that it is known which policy used what. */
  readonly lookUpsFor: (policy: string) => LookUps;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** The results of one policy for an object; may be empty. */
export interface ObjectPolicyResults {
  readonly program: PolicyProgram;
  readonly contents: readonly ResultContent[];
}

/**
 * Evaluates an object in its current form by every kind policy, one after the other. Only policies with look-ups wait.
 */
export async function evaluateObject(
  subject: ScannedObject,
  kindPolicies: readonly KindPolicy[],
  options: ObjectEvaluationOptions,
): Promise<readonly ObjectPolicyResults[]> {
  const request = requestOf(subject, options.now);
  const policyResults: ObjectPolicyResults[] = [];
  for (const kindPolicy of kindPolicies) {
    const program = programFor(kindPolicy, subject.controllers);
    const found = program ? evaluateKindPolicy(program, kindPolicy, request, options) : [];
    policyResults.push({ program: kindPolicy.program, contents: found instanceof Promise ? await found : found });
  }
  return policyResults;
}

function evaluateKindPolicy(
  program: PolicyProgram,
  kindPolicy: KindPolicy,
  request: PolicyRequest,
  { exceptions, lookUpsFor, signal }: ObjectEvaluationOptions,
): MaybePromise<readonly ResultContent[]> {
  const known = new Map<string, LookUpAnswer>();
  const budget = newRequestBudget();
  const lookUps: LookUps = { answer: (need, until) => lookUpsFor(program.key).answer(need, until) };
  let contents: MaybePromise<readonly ResultContent[]> = [];
  for (const phase of reportedPhases) {
    if (!program.rules.some((rule) => rule.phase === phase)) continue;
    contents = andThen(contents, (before) =>
      andThen(
        evaluate(alone(program), request, { phase, exceptions, lookUps, signal, known, budget }),
        ({ results }): readonly ResultContent[] =>
          results.length === 0 ? before : [...before, ...results.map((result) => reported(result, kindPolicy))],
      ),
    );
  }
  return contents;
}

const lists = new WeakMap<PolicyProgram, readonly PolicyProgram[]>();

/** The same array every time: the engine caches candidate rules per array of policies. */
function alone(program: PolicyProgram): readonly PolicyProgram[] {
  let list = lists.get(program);
  if (!list) lists.set(program, (list = [program]));
  return list;
}

/** Reports the result under the whole policy, although only a part of its rules was run. */
function reported(result: RuleResult, { program }: KindPolicy): ResultContent {
  return contentOf({ ...result, policy: program }, 'background');
}

/** Reports evaluate existing objects as if they were created now, without a user. */
function requestOf({ object, kind, namespaceLabels }: ScannedObject, now: number): PolicyRequest {
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
