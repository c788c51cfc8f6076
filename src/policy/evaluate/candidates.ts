import type { CompiledPolicy, CompiledRule } from '../compile/index.ts';
import type { Phase, PolicyProgram } from '../program.ts';
import type { PolicyRequest } from '../request.ts';

/** A rule that may match the kind of a request. */
export interface RuleCandidate {
  readonly policy: CompiledPolicy;
  readonly rule: CompiledRule;
  /** As that of the rule, for requests of the kind. */
  readonly mismatchReason: CompiledRule['mismatchReason'];
}

/** More kinds than any cluster has; beyond it the index is cleared. */
const maxKinds = 10_000;

const indexes = new WeakMap<readonly PolicyProgram[], Map<string, readonly RuleCandidate[]>>();

/**
 * The rules of one phase that may match the kind of the request, in order. Cached per list of programs and kind: callers
 * that evaluate many requests pass the same list, so that a request costs only the rules that may match it.
 */
export function candidatesFor(
  programs: readonly PolicyProgram[],
  request: PolicyRequest,
  phase: Phase,
): readonly RuleCandidate[] {
  const { kind, subresource } = request;
  let index = indexes.get(programs);
  if (!index) {
    index = new Map();
    indexes.set(programs, index);
  }
  // No part can contain a slash, so keys are unique.
  const key = `${phase}/${kind.group}/${kind.version}/${kind.kind}/${subresource}/${kind.resource ?? ''}`;
  let found = index.get(key);
  if (!found) {
    found = (programs as readonly CompiledPolicy[]).flatMap((policy) =>
      policy.rules
        .filter((rule) => rule.phase === phase && rule.mayMatchKind(kind, subresource))
        .map((rule) => ({
          policy,
          rule,
          mismatchReason: rule.mismatchReasonFor?.(kind, subresource) ?? rule.mismatchReason,
        })),
    );
    if (index.size >= maxKinds) index.clear();
    index.set(key, found);
  }
  return found;
}
