import type { DiscoveredType } from '../kube/index.ts';
import { renderGvr } from '../object/index.ts';
import type { MatchedKind, PolicyProgram, RuleProgram } from '../policy/index.ts';
import { actsOnWrites, followedTypes, isAdmissionBound, isGenerating, needsTrust } from './rules.ts';

/** A policy, with its rules that work from watches and those that need a request. */
export interface GeneratingPolicy {
  readonly program: PolicyProgram;
  readonly watched: readonly RuleProgram[];
  readonly watchedNames: ReadonlySet<string>;
  readonly bound: readonly RuleProgram[];
  /** Admission-bound rules that use only what reads of the API server confirm. */
  readonly confirmable: readonly RuleProgram[];
}

/** Which kinds trigger which policies, for one set of policies and one state of discovery. */
export interface RuleTable {
  readonly policies: ReadonlyMap<string, GeneratingPolicy>;
  /** Policies without a generating rule. */
  readonly others: readonly PolicyProgram[];
  readonly types: ReadonlyMap<string, DiscoveredType>;
  /** Policies with a watched rule for the kind. */
  forKind(kind: MatchedKind): readonly GeneratingPolicy[];
  /** Whether there are rules for kinds that the server does not have yet. */
  readonly hasUnknownKinds: boolean;
}

export function createRuleTable(programs: readonly PolicyProgram[], known: readonly DiscoveredType[]): RuleTable {
  const policies = new Map<string, GeneratingPolicy>();
  const others: PolicyProgram[] = [];
  const types = new Map<string, DiscoveredType>();
  let hasUnknownKinds = false;
  for (const program of programs) {
    const rules = program.rules.filter((rule) => isGenerating(program, rule));
    if (rules.length === 0) {
      others.push(program);
      continue;
    }
    const needsRequest = rules.filter((rule) => isAdmissionBound(rule, known));
    const watched = rules.filter((rule) => !needsRequest.includes(rule));
    const bound = actsOnWrites(program) ? needsRequest : [];
    const watchedNames = new Set(watched.map(({ name }) => name));
    const confirmable = bound.filter((rule) => !needsTrust(rule, known));
    policies.set(program.key, { program, watched, watchedNames, bound, confirmable });
    for (const rule of watched) {
      const followed = followedTypes(rule, known);
      if (followed.length === 0) hasUnknownKinds = true;
      for (const type of followed) types.set(renderGvr(type), type);
    }
  }
  return {
    policies,
    others,
    types,
    hasUnknownKinds,
    forKind: (kind) =>
      [...policies.values()].filter(({ watched }) => watched.some((rule) => rule.mayMatchKind(kind, ''))),
  };
}
