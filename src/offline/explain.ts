import { deepEqual, type KubeObject } from '../object/index.ts';
import type { FilterExplanation, RuleProgram, RuleResult, TraceStep } from '../policy/index.ts';
import type { EvaluatedResource, PolicyApplication } from './apply.ts';
import { changes } from './compare.ts';
import { resourceName } from './resources.ts';

/** How one rule came to its result. */
export interface RuleExplanation {
  readonly policy: string;
  /** Empty where the policy as a whole is one rule. */
  readonly rule: string;
  /** Whether autogen derives it for controllers of Pods. */
  readonly isDerived: boolean;
  readonly phase: string;
  /** The result; `no match` if the rule does not match the resource, `silent` if it has no result. */
  readonly status: RuleResult['status'] | 'no match' | 'silent';
  readonly message: string;
  /** The path in the resource that decided. */
  readonly path?: string;
  readonly filters: readonly FilterExplanation[];
  readonly steps: readonly TraceStep[];
  /** Mutate rules: the changes, line by line. */
  readonly diff?: string;
  /** Mutate-existing rules: the changes of each target. */
  readonly targets?: readonly { readonly resource: string; readonly object: KubeObject }[];
  /** Generate rules: the objects to generate. */
  readonly generated?: readonly { readonly resource: string; readonly object: KubeObject }[];
}

export interface Explanation {
  readonly resource: string;
  readonly file: string;
  readonly line: number;
  readonly rules: readonly RuleExplanation[];
}

/** Every rule of every policy, in order, including rules without a match or result. */
export function explainResponse(
  { policies }: { readonly policies: Pick<PolicyApplication['policies'], 'programs'> },
  { response, file, line }: Pick<EvaluatedResource, 'response' | 'file' | 'line'>,
): Explanation {
  const diffs = diffsOf(
    response.resource,
    response.rules.map(({ result }) => result),
  );
  const stepsOf = (rule: RuleProgram) => response.silent.find((silent) => silent.rule === rule)?.steps ?? [];
  const rules = policies.programs.flatMap((program) =>
    program.rules.map((rule): RuleExplanation => {
      const ruleResponse = response.rules.find(({ result }) => result.rule === rule);
      const head = {
        policy: program.key,
        rule: rule.name,
        isDerived: rule.isDerived,
        phase: rule.phase,
        filters: rule.explainMatch(response.request),
      };
      if (ruleResponse) return { ...head, ...outcomeOf(ruleResponse.result, diffs.get(ruleResponse.result)) };
      const mismatch = rule.mismatchReason(response.request);
      return mismatch === undefined
        ? { ...head, status: 'silent', message: 'the rule has nothing to say of this resource', steps: stepsOf(rule) }
        : { ...head, status: 'no match', message: mismatch, steps: [] };
    }),
  );
  return { resource: resourceName(response.resource), file, line, rules };
}

function outcomeOf(result: RuleResult, diff: string | undefined) {
  const { status, message, path, steps } = result;
  return {
    status,
    message,
    steps,
    ...(path === undefined ? {} : { path }),
    ...(diff === undefined ? {} : { diff }),
    ...(result.targets?.length ? { targets: result.targets.map(named) } : {}),
    ...(result.generated?.length ? { generated: result.generated.map(named) } : {}),
  };
}

const named = (object: KubeObject) => ({ resource: resourceName(object), object });

/** Each mutation builds on the previous one, so each is compared with its input. */
function diffsOf(resource: KubeObject, results: readonly RuleResult[]): ReadonlyMap<RuleResult, string> {
  const diffs = new Map<RuleResult, string>();
  let before = resource;
  for (const result of results) {
    const { patched, targets } = result;
    if (!patched || targets) continue;
    diffs.set(result, deepEqual(before, patched) ? 'nothing changed' : changes(before, patched));
    before = patched;
  }
  return diffs;
}
