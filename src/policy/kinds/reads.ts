import { partsOfExpression } from '../cel/index.ts';
import { type RuleReads, readsOf } from '../reads.ts';
import type { KindSpec } from './types.ts';

/** What a policy of expressions reads, from the expressions of its own and those that all kinds have. */
export function readsOfKind(spec: KindSpec, own: readonly string[]): RuleReads {
  const { matchConstraints, matchConditions = [], variables = [] } = spec;
  const expressions = [...own, ...[...matchConditions, ...variables].map(({ expression }) => expression)];
  const rules = [...(matchConstraints?.resourceRules ?? []), ...(matchConstraints?.excludeResourceRules ?? [])];
  return readsOf([
    ...expressions.flatMap(partsOfExpression),
    ...(matchConstraints?.namespaceSelector ? (['namespaceLabels'] as const) : []),
    ...(rules.some(({ operations = [] }) => !operations.includes('*')) ? (['operation'] as const) : []),
  ]);
}
