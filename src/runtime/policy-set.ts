import type { GroupVersionKind } from '../object/index.ts';
import type { ExceptionProgram, Phase, PolicyProgram } from '../policy/index.ts';

/** A snapshot of the active policies. Immutable: a request uses one set from start to end. */
export interface PolicySet {
  /** Sorted by key, which is Kyverno's order of evaluation. */
  readonly programs: readonly PolicyProgram[];
  readonly exceptions: readonly ExceptionProgram[];
  get(key: string): PolicyProgram | undefined;
  /** Policies with a rule of this phase that may match the kind. Each rule still checks the whole request. */
  select(phase: Phase, kind: GroupVersionKind, subresource: string): readonly PolicyProgram[];
}

/** Selections are cached per kind: a cluster has some hundred kinds, and a policy set serves many requests. */
export function createPolicySet(
  programs: readonly PolicyProgram[],
  exceptions: readonly ExceptionProgram[] = [],
): PolicySet {
  const sorted = [...programs].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const byKey = new Map(sorted.map((program) => [program.key, program]));
  const selected = new Map<string, readonly PolicyProgram[]>();
  return {
    programs: sorted,
    exceptions,
    get: (key) => byKey.get(key),
    select(phase, kind, subresource) {
      const id = `${phase} ${kind.group} ${kind.version} ${kind.kind} ${subresource}`;
      let found = selected.get(id);
      if (!found) {
        found = sorted.filter(({ rules }) =>
          rules.some((rule) => rule.phase === phase && rule.mayMatchKind(kind, subresource)),
        );
        selected.set(id, found);
      }
      return found;
    },
  };
}
