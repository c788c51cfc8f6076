import { CelCompileError, libraryTypes, pathsIn } from '../../cel/index.ts';
import { partsOfScope, type ReadPart, type RuleReads, readsOf } from '../reads.ts';
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

function partsOfExpression(expression: string): readonly ReadPart[] {
  try {
    return pathsIn(expression).flatMap(partsOfPath);
  } catch (thrown) {
    if (thrown instanceof CelCompileError) return [];
    throw thrown;
  }
}

/** Libraries that answer from what the expression gives them, and from the clock. */
const pure: ReadonlySet<string> = new Set(['time', 'json', 'yaml', 'random', 'x509', 'generator', 'envoy', 'jwt']);

function partsOfPath([root = '', field, below]: readonly string[]): readonly ReadPart[] {
  switch (root) {
    case 'object':
    case 'oldObject':
      return partsOfScope(['request', root, ...(field === undefined ? [] : [field])]);
    case 'request':
      return partsOfScope([root, ...[field, below].filter((part) => part !== undefined)]);
    case 'namespaceObject':
      return ['namespaceLabels'];
    default:
      return libraryTypes.has(root) && !pure.has(root) ? ['lookUps'] : [];
  }
}
