import type { GroupVersionKind } from '../object/index.ts';
import type { ExceptionProgram, Phase, PolicyProgram } from '../policy/index.ts';

/** The policies that run, at one moment. Immutable: a request that began with one set ends with it. */
export interface PolicySet {
  /** By key, in Kyverno's order of evaluation. */
  readonly programs: readonly PolicyProgram[];
  readonly exceptions: readonly ExceptionProgram[];
  get(key: string): PolicyProgram | undefined;
  /** Those with a rule of this phase that can be for such an object. The rules still decide for themselves. */
  select(phase: Phase, kind: GroupVersionKind, subresource: string): readonly PolicyProgram[];
}

/** Answers are remembered per kind: a cluster has some hundred kinds, a policy set lives for many requests. */
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
