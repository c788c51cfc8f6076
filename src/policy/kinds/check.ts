import { isJsonObject, lazy } from '../../base/index.ts';
import { CelCompileError, libraryTypes, namesIn } from '../../cel/index.ts';
import type { Expression } from '../cel/index.ts';
import { cut, Issues } from '../check/issues.ts';
import { checkSize } from '../check/limits.ts';
import { boolean, checkShape, integer, listOf, mapOf, object, oneOf, type Shape, string } from '../check/shape.ts';
import type { PolicyIssue } from '../types.ts';
import type { KindDefinition } from './definition.ts';
import type { KindPolicy, KindSpec } from './types.ts';

/** The checks and the parts of specs that all kinds share. */

const selector = object({
  matchLabels: mapOf(string),
  matchExpressions: listOf(
    object({ key: string, operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'), values: listOf(string) }, [
      'key',
      'operator',
    ]),
  ),
});

const resourceRules = listOf(
  object({
    apiGroups: listOf(string),
    apiVersions: listOf(string),
    operations: listOf(oneOf('*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT')),
    resources: listOf(string),
    resourceNames: listOf(string),
    scope: oneOf('*', 'Cluster', 'Namespaced'),
  }),
);

export const constraintFields = {
  resourceRules,
  excludeResourceRules: resourceRules,
  namespaceSelector: selector,
  objectSelector: selector,
  matchPolicy: oneOf('Exact', 'Equivalent'),
};

const constraintsShape = object(constraintFields);

export const namedExpressions = listOf(object({ name: string, expression: string }, ['name', 'expression']));

export const switched = object({ enabled: boolean });

/** What is derived from a policy: for controllers of Pods, and the admission policies that Kyverno can make. */
export const autogenShape = (...admissionPolicies: readonly string[]) =>
  object({
    podControllers: object({ controllers: listOf(string) }),
    ...Object.fromEntries(admissionPolicies.map((field) => [field, switched])),
  });

/** The fields that most kinds have. */
export const commonFields = {
  matchConstraints: constraintsShape,
  matchConditions: namedExpressions,
  variables: namedExpressions,
  failurePolicy: oneOf('Fail', 'Ignore'),
  webhookConfiguration: object({ timeoutSeconds: { ...integer, min: 1, max: 30 } as Shape }),
};

export const evaluationFields = (...modes: readonly string[]) => ({
  mode: oneOf(...modes),
  admission: switched,
  background: object({ enabled: boolean, interval: string }),
});

const metadataShape = object({ name: string, namespace: string, labels: mapOf(string), annotations: mapOf(string) });

export const isNamespacedKind = (kind: string): boolean => kind.startsWith('Namespaced');

/** All that is wrong with a policy; never throws. */
export function checkKindPolicy(policy: unknown, definition: KindDefinition): readonly PolicyIssue[] {
  const issues = new Issues();
  if (!checkSize(policy, issues) || !isJsonObject(policy)) return issues.list;
  const { apiVersion: _, kind, metadata, spec, status: __, ...others } = policy;
  checkShape(others, object({}), '', issues);
  if (!isJsonObject(metadata)) issues.error('policy-field-type', 'metadata', 'must be an object');
  else {
    const { name, namespace, labels, annotations } = metadata;
    checkShape({ name, namespace, labels, annotations }, metadataShape, 'metadata', issues);
    if (!name && !metadata['generateName']) issues.error('policy-field-required', 'metadata.name', 'is required');
    if (namespace && !isNamespacedKind(String(kind))) {
      issues.warn('policy-scope', 'metadata.namespace', `a ${String(kind)} has no namespace`);
    }
  }
  if (!isJsonObject(spec)) issues.error('policy-field-type', 'spec', 'must be an object');
  else checkShape(spec, definition.spec, 'spec', issues);
  checkExpressionLimits(spec, issues);
  if (!issues.hasErrors) definition.check(policy as unknown as KindPolicy, issues);
  return issues.list;
}

/** Nothing else is done while a policy is compiled: about 1 ms for each expression, and 2 ms for each KiB of text. */
const maxExpressions = 300;
const maxExpressionChars = 131_072;
const expressionFields: ReadonlySet<string> = new Set(['expression', 'messageExpression', 'valueExpression']);

/** Whoever may write a policy in a namespace must not stop the policies of all others with it. */
export function checkExpressionLimits(spec: unknown, issues: Issues): void {
  const lengths = expressionLengths(spec);
  const refuse = (what: string) => issues.error('policy-limit', 'spec', what);
  if (lengths.length > maxExpressions)
    refuse(`there are ${lengths.length} expressions; at most ${maxExpressions} are allowed`);
  const chars = lengths.reduce((sum, length) => sum + length, 0);
  if (chars > maxExpressionChars)
    refuse(`the expressions have ${chars} characters; at most ${maxExpressionChars} are allowed`);
}

function expressionLengths(value: unknown): readonly number[] {
  if (Array.isArray(value)) return value.flatMap(expressionLengths);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    typeof field === 'string' ? (expressionFields.has(key) ? [field.length] : []) : expressionLengths(field),
  );
}

/** A policy for objects of the cluster that names none would never run. */
export function requireResourceRules({ matchConstraints, evaluation }: KindSpec, issues: Issues): void {
  if ((evaluation?.mode ?? 'Kubernetes') !== 'Kubernetes' || matchConstraints?.resourceRules?.length) return;
  issues.error('policy-field-required', 'spec.matchConstraints.resourceRules', 'must not be empty');
}

/** Warns of what other implementations act on and this one does not, so that nobody relies on it. */
export function warnOfUnusedFields({ evaluation, autogen, validations = [] }: UnusedFields, issues: Issues): void {
  const warn = (path: string, message: string) => issues.warn('policy-unsupported', `spec.${path}`, message);
  for (const field of ['validatingAdmissionPolicy', 'mutatingAdmissionPolicy'] as const) {
    if (!autogen?.[field]?.enabled) continue;
    const kind = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
    warn(`autogen.${field}.enabled`, `has no effect: Supercargo evaluates the policy, no ${kind} is generated`);
  }
  if (evaluation?.background?.interval)
    warn('evaluation.background.interval', 'has no effect: objects are evaluated whenever they change, and every hour');
  if (evaluation?.skipBackgroundRequests === false)
    warn('evaluation.skipBackgroundRequests', 'has no effect: what Supercargo itself writes is never a trigger');
  for (const [i, { reason }] of validations.entries()) {
    if (reason) warn(`validations[${i}].reason`, 'has no effect: a webhook cannot choose the reason of a denial');
  }
}

/** Fields of some kinds that change nothing. */
interface UnusedFields {
  readonly evaluation?: KindSpec['evaluation'] & { readonly skipBackgroundRequests?: boolean };
  readonly autogen?: Readonly<
    Partial<Record<'validatingAdmissionPolicy' | 'mutatingAdmissionPolicy', { readonly enabled?: boolean }>>
  >;
  readonly validations?: readonly { readonly reason?: string }[];
}

/** A policy with an expression that does not compile does not run. */
export function reportExpression(issues: Issues, path: string, expression: Expression): void {
  if (!('error' in expression)) return;
  const library = missingLibraries().find((name) => usesName(expression.source, name));
  if (usesName(expression.source, 'authorizer'))
    // Only an API server has it. Kyverno, too, evaluates expressions without.
    issues.error('policy-unsupported', path, 'the authorizer of CEL expressions is not available here');
  else if (library) issues.error('policy-unsupported', path, `the CEL library ${library} is not supported yet`);
  else issues.error('policy-expression', path, cut(expression.error, 1000));
}

/** Of Kyverno, and not known here. */
const missingLibraries = lazy(() =>
  ['resource', 'http', 'globalContext', 'image', 'generator', 'jwt', 'envoy'].filter((name) => !libraryTypes.has(name)),
);

function usesName(expression: string, name: string): boolean {
  try {
    return namesIn(expression).has(name);
  } catch (thrown) {
    if (thrown instanceof CelCompileError) return false;
    throw thrown;
  }
}

/** Names are how expressions and reports refer to entries of a list. */
export function checkNames(entries: readonly { readonly name: string }[] = [], path: string, issues: Issues): void {
  const seen = new Set<string>();
  for (const [i, { name }] of entries.entries()) {
    if (name === '') issues.error('policy-field-required', `${path}[${i}].name`, 'is required');
    else if (seen.has(name))
      issues.error('policy-field-conflict', `${path}[${i}].name`, `"${cut(name)}" is there twice`);
    seen.add(name);
  }
}
