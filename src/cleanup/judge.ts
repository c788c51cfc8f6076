import type { Clock } from '../base/index.ts';
import type { ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { ExceptionProgram, LookUpAnswer, PolicyProgram } from '../policy/index.ts';
import { type EvaluationTurns, evaluate, type LookUps } from '../runtime/index.ts';

/** What a policy says of one object. */
type Verdict =
  | { readonly kind: 'delete' }
  | { readonly kind: 'keep' }
  /** It is kept: nobody knows what the policy would say. */
  | { readonly kind: 'error'; readonly message: string };

export interface JudgeOptions {
  readonly lookUps: LookUps;
  readonly exceptions: () => readonly ExceptionProgram[];
  readonly turns?: EvaluationTurns | undefined;
  readonly clock: Clock;
}

interface Subject {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly namespaceLabels: Readonly<Record<string, string>>;
}

const lists = new WeakMap<PolicyProgram, readonly PolicyProgram[]>();

/** The same array every time: the engine caches candidate rules per array of policies. */
function alone(program: PolicyProgram): readonly PolicyProgram[] {
  let list = lists.get(program);
  if (!list) lists.set(program, (list = [program]));
  return list;
}

/** Judges an object by one policy. `known` are the answers to look-ups so far. */
export async function judge(
  program: PolicyProgram,
  { type, object, namespaceLabels }: Subject,
  { lookUps, exceptions, turns, clock }: JudgeOptions,
  { signal, known }: { readonly signal: AbortSignal; readonly known: Map<string, LookUpAnswer> },
): Promise<Verdict> {
  const request = {
    operation: 'DELETE' as const,
    kind: type,
    subresource: '',
    object,
    namespaceLabels,
    uid: object.metadata.uid ?? '',
    now: clock.now(),
  };
  const { results } = await evaluate(alone(program), request, {
    phase: 'delete',
    exceptions: exceptions(),
    lookUps,
    signal,
    known,
    turns,
  });
  const [result] = results;
  if (!result) return { kind: 'keep' };
  if (result.status === 'error') return { kind: 'error', message: result.message };
  // An exception may report what it exempts as passed.
  const isExempt = (result.exceptions ?? []).length > 0;
  return { kind: result.status === 'pass' && !isExempt ? 'delete' : 'keep' };
}
