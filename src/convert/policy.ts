import type { KubeObject } from '../object/index.ts';
import { autogenAnnotation, autogenRuleNames, type PolicyObject, type RuleSpec } from '../policy/index.ts';
import { renderBool } from './bool.ts';
import { convertConditions } from './conditions.ts';
import { commonSchema, resourceRules, type ServedKind } from './kinds.ts';
import { convertMatch } from './match.ts';
import { NotConvertible, refuse } from './not-convertible.ts';
import { TouchedPlaces } from './touched.ts';
import { convertValidation } from './validation.ts';

/** A rule as a policy of its own, and what a reader must know of it. */
export interface ConvertedRule {
  readonly rule: string;
  readonly policy: KubeObject;
  readonly kinds: readonly ServedKind[];
  readonly operations: readonly string[];
  readonly touched: TouchedPlaces;
  readonly notes: readonly string[];
}

/** A rule, or a whole policy, without an equivalent. */
export interface RefusedRule {
  readonly rule: string;
  readonly path: string;
  readonly reason: string;
}

export interface Conversion {
  readonly converted: readonly ConvertedRule[];
  readonly refused: readonly RefusedRule[];
}

/** Every rule of the policy as a policy of the CEL kinds. Nothing is tried yet. */
export function convertRules(policy: PolicyObject): Conversion {
  const converted: ConvertedRule[] = [];
  const refused: RefusedRule[] = [];
  for (const [i, rule] of (policy.spec.rules ?? []).entries()) {
    try {
      converted.push(convertRule(policy, rule, `spec.rules[${i}]`));
    } catch (thrown) {
      if (!(thrown instanceof NotConvertible)) throw thrown;
      refused.push({ rule: rule.name, path: thrown.path, reason: thrown.reason });
    }
  }
  return { converted, refused };
}

function convertRule(policy: PolicyObject, rule: RuleSpec, path: string): ConvertedRule {
  const { spec, metadata } = policy;
  if (rule.context?.length) refuse(`${path}.context`, 'context entries are not converted');
  if (spec.applyRules === 'One') refuse('spec.applyRules', 'rules that stop others have no equivalent');
  const overrides = rule.validate?.failureActionOverrides ?? spec.validationFailureActionOverrides;
  if (overrides?.length) refuse(path, 'failureActionOverrides: write one policy for each action');
  const touched = new TouchedPlaces();
  const match = convertMatch(rule, path, touched);
  const scope = { schema: commonSchema(match.kinds), touched };
  const conditions = match.conditions.map(({ name, bool }) => ({ name, expression: renderBool(bool) }));
  if (rule.preconditions !== undefined) {
    const expression = renderBool(convertConditions(rule.preconditions, scope, `${path}.preconditions`));
    if (expression !== 'true') conditions.push({ name: 'preconditions', expression });
  }
  conditions.push(...(rule.celPreconditions ?? []));
  const { validations, variables, auditAnnotations, notes } = convertValidation(rule, scope, path);
  const operations = match.operations ?? ['CREATE', 'UPDATE'];
  const isNamespaced = policy.kind === 'Policy';
  return {
    rule: rule.name,
    kinds: match.kinds,
    operations,
    touched,
    notes: [...notes, ...notesOf(rule, match.kinds, match.operations, path)],
    policy: {
      apiVersion: 'policies.kyverno.io/v1',
      kind: isNamespaced ? 'NamespacedValidatingPolicy' : 'ValidatingPolicy',
      metadata: {
        name: nameOf(policy, rule),
        ...(isNamespaced && metadata.namespace ? { namespace: metadata.namespace } : {}),
        ...keptMetadata(policy),
      },
      spec: {
        validationActions: actionsOf(policy, rule),
        ...(spec.failurePolicy ? { failurePolicy: spec.failurePolicy } : {}),
        ...evaluationOf(policy),
        ...(spec.webhookTimeoutSeconds ? { webhookConfiguration: { timeoutSeconds: spec.webhookTimeoutSeconds } } : {}),
        ...autogenOf(policy, match.kinds),
        matchConstraints: {
          ...(match.namespaceSelector ? { namespaceSelector: match.namespaceSelector } : {}),
          resourceRules: resourceRules(match.kinds, operations),
        },
        ...(conditions.length > 0 ? { matchConditions: conditions } : {}),
        ...(variables ? { variables } : {}),
        validations,
        ...(auditAnnotations ? { auditAnnotations } : {}),
      },
    } as KubeObject,
  };
}

/** One policy a rule, because reports name policies only. */
const nameOf = ({ metadata: { name = 'policy' }, spec }: PolicyObject, rule: RuleSpec) =>
  spec.rules?.length === 1 ? name : `${name}-${rule.name}`.slice(0, 253).replace(/[^a-z0-9]+$/, '');

function keptMetadata({ metadata }: PolicyObject) {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => key !== autogenAnnotation && key !== 'kubectl.kubernetes.io/last-applied-configuration',
  );
  return {
    ...(metadata.labels ? { labels: metadata.labels } : {}),
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
  };
}

function actionsOf({ spec }: PolicyObject, { validate }: RuleSpec): readonly string[] {
  const action = validate?.failureAction ?? spec.validationFailureAction ?? 'Audit';
  return [action.toLowerCase() === 'enforce' ? 'Deny' : 'Audit', ...(spec.emitWarning ? ['Warn'] : [])];
}

function evaluationOf({ spec }: PolicyObject) {
  if (spec.admission !== false && spec.background !== false) return {};
  return {
    evaluation: {
      ...(spec.admission === false ? { admission: { enabled: false } } : {}),
      ...(spec.background === false ? { background: { enabled: false } } : {}),
    },
  };
}

/** The annotation names kinds, the field plurals; a policy that is not derived here is not derived there either. */
function autogenOf(policy: PolicyObject, kinds: readonly ServedKind[]) {
  if (!kinds.some(({ kind, group }) => kind === 'Pod' && group === '')) return {};
  const derived = autogenRuleNames(policy).length > 0;
  const named = policy.metadata.annotations?.[autogenAnnotation];
  if (derived && named === undefined) return {};
  const plurals = derived ? (named ?? '').split(',').map((kind) => `${kind.trim().toLowerCase()}s`) : [];
  return { autogen: { podControllers: { controllers: plurals } } };
}

function notesOf(
  rule: RuleSpec,
  kinds: readonly ServedKind[],
  operations: readonly string[] | undefined,
  path: string,
): readonly string[] {
  const guessed = kinds.filter(({ isGuessed }) => isGuessed).map(({ resource, group }) => `${resource}.${group}`);
  const isForPods = kinds.some(({ kind }) => kind === 'Pod');
  return [
    ...(guessed.length > 0 ? [`${path}: ${guessed.join(', ')} is a guess of the plural`] : []),
    ...(operations === undefined && rule.validate?.deny !== undefined
      ? [`${path}: deletions are not judged; name DELETE in operations and read oldObject if they should be`]
      : []),
    ...(isForPods
      ? [`${path}: updates of ephemeral containers are not judged; name pods/ephemeralcontainers if they should be`]
      : []),
  ];
}
