import type { KubeObject } from '../object/index.ts';
import { autogenAnnotation, autogenRuleNames, type PolicyObject, type RuleSpec } from '../policy/index.ts';
import { renderBool } from './bool.ts';
import { convertConditions } from './conditions.ts';
import { convertContext } from './context.ts';
import type { ExpressionScope } from './expression.ts';
import { commonSchema, resourceRules, type ServedKind } from './kinds.ts';
import { convertMatch } from './match.ts';
import { TouchedPlaces } from './touched.ts';

interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

/** What a rule is for, as every kind of policy says it. */
export interface ConvertedSelection {
  readonly kinds: readonly ServedKind[];
  readonly operations: readonly string[];
  /** Of the rule, where it names any. */
  readonly namedOperations: readonly string[] | undefined;
  readonly scope: ExpressionScope;
  readonly touched: TouchedPlaces;
  readonly conditions: readonly NamedExpression[];
  readonly matchConstraints: object;
}

/** Match, exclude, context and preconditions of a rule; throws NotConvertible. */
export function convertSelection(
  rule: RuleSpec,
  path: string,
  { isOrdered = false }: { readonly isOrdered?: boolean } = {},
): ConvertedSelection {
  const touched = new TouchedPlaces();
  const match = convertMatch(rule, path, touched);
  const own: ExpressionScope = { schema: commonSchema(match.kinds), touched, isOrdered };
  const entries = convertContext(rule.context, own, `${path}.context`);
  const inMatch = { ...own, entries };
  const conditions = match.conditions.map(({ name, bool }) => ({ name, expression: renderBool(bool) }));
  if (rule.preconditions !== undefined) {
    const expression = renderBool(convertConditions(rule.preconditions, inMatch, `${path}.preconditions`));
    if (expression !== 'true') conditions.push({ name: 'preconditions', expression });
  }
  conditions.push(...(rule.celPreconditions ?? []));
  const operations = match.operations ?? ['CREATE', 'UPDATE'];
  return {
    kinds: match.kinds,
    operations,
    namedOperations: match.operations,
    scope: inMatch,
    touched,
    conditions,
    matchConstraints: {
      ...(match.namespaceSelector ? { namespaceSelector: match.namespaceSelector } : {}),
      resourceRules: resourceRules(match.kinds, operations),
    },
  };
}

/** A policy of a CEL kind, with what a classic one and it have in common. */
export function policyOf(
  policy: PolicyObject,
  kind: string,
  name: string,
  spec: Readonly<Record<string, unknown>>,
): KubeObject {
  const { metadata } = policy;
  const isNamespaced = policy.kind === 'Policy';
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind: isNamespaced ? `Namespaced${kind}` : kind,
    metadata: {
      name,
      ...(isNamespaced && metadata.namespace ? { namespace: metadata.namespace } : {}),
      ...keptMetadata(policy),
    },
    spec,
  } as KubeObject;
}

/** One policy a rule, because reports name policies only. */
export const nameOf = ({ metadata: { name = 'policy' }, spec }: PolicyObject, rule: RuleSpec, suffix = '') =>
  `${spec.rules?.length === 1 ? name : `${name}-${rule.name}`}${suffix}`.slice(0, 253).replace(/[^a-z0-9]+$/, '');

function keptMetadata({ metadata }: PolicyObject) {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => key !== autogenAnnotation && key !== 'kubectl.kubernetes.io/last-applied-configuration',
  );
  return {
    ...(metadata.labels ? { labels: metadata.labels } : {}),
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
  };
}

/** How the API server calls the policy. */
export const callOf = ({ spec }: PolicyObject) => ({
  ...(spec.failurePolicy ? { failurePolicy: spec.failurePolicy } : {}),
  ...(spec.webhookTimeoutSeconds ? { webhookConfiguration: { timeoutSeconds: spec.webhookTimeoutSeconds } } : {}),
});

/** When a policy is evaluated; `more` are settings of its kind. */
export function evaluationOf({ spec }: PolicyObject, more: Readonly<Record<string, unknown>> = {}) {
  const evaluation = {
    ...(spec.admission === false ? { admission: { enabled: false } } : {}),
    ...(spec.background === false ? { background: { enabled: false } } : {}),
    ...more,
  };
  return Object.keys(evaluation).length > 0 ? { evaluation } : {};
}

/** The annotation names kinds, the field plurals; a policy that is not derived here is not derived there either. */
export function autogenOf(policy: PolicyObject, kinds: readonly ServedKind[]) {
  if (!kinds.some(({ kind, group }) => kind === 'Pod' && group === '')) return {};
  const derived = autogenRuleNames(policy).length > 0;
  const named = policy.metadata.annotations?.[autogenAnnotation];
  if (derived && named === undefined) return {};
  const plurals = derived ? (named ?? '').split(',').map((kind) => `${kind.trim().toLowerCase()}s`) : [];
  return { autogen: { podControllers: { controllers: plurals } } };
}

export function guessNotes(kinds: readonly ServedKind[], path: string): readonly string[] {
  const guessed = kinds.filter(({ isGuessed }) => isGuessed).map(({ resource, group }) => `${resource}.${group}`);
  return guessed.length > 0 ? [`${path}: ${guessed.join(', ')} is a guess of the plural`] : [];
}
