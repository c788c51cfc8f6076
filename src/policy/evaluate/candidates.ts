import type { CompiledPolicy, CompiledRule } from '../compile/index.ts';
import type { Phase, PolicyProgram } from '../program.ts';
import type { PolicyRequest } from '../request.ts';

/** A rule that may be for a request, by its kind. */
export interface RuleCandidate {
  readonly policy: CompiledPolicy;
  readonly rule: CompiledRule;
}

/** More kinds than any cluster has; past them the index begins anew. */
const maxKinds = 10_000;

const indexes = new WeakMap<readonly PolicyProgram[], Map<string, readonly RuleCandidate[]>>();

/**
 * The rules of one phase that can match the kind of the request, in order. Found once per list of programs and kind:
 * whoever judges many requests passes the same list, and a request pays only for rules that can be for it.
 */
export function candidatesFor(
  programs: readonly PolicyProgram[],
  { kind, subresource }: PolicyRequest,
  phase: Phase,
): readonly RuleCandidate[] {
  let index = indexes.get(programs);
  if (!index) {
    index = new Map();
    indexes.set(programs, index);
  }
  // No part can hold a slash: two kinds never share a key.
  const key = `${phase}/${kind.group}/${kind.version}/${kind.kind}/${subresource}`;
  let found = index.get(key);
  if (!found) {
    found = (programs as readonly CompiledPolicy[]).flatMap((policy) =>
      policy.rules
        .filter((rule) => rule.phase === phase && rule.mayMatchKind(kind, subresource))
        .map((rule) => ({ policy, rule })),
    );
    if (index.size >= maxKinds) index.clear();
    index.set(key, found);
  }
  return found;
}
