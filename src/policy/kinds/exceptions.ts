import { isJsonObject, lazy } from '../../base/index.ts';
import { policyLanguage } from '../../cel/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { Expression } from '../cel/index.ts';
import { Issues } from '../check/issues.ts';
import { checkSize } from '../check/limits.ts';
import { checkShape, listOf, mapOf, object, oneOf, string } from '../check/shape.ts';
import type { CompiledException } from '../compile/index.ts';
import { errored, pass, type RuleOutcome, skip } from '../run/outcome.ts';
import { changedRun, type Run } from '../run/run.ts';
import type { PolicyIssue } from '../types.ts';
import { checkExpressionLimits, checkNames, namedExpressions, reportExpression } from './check.ts';
import { compileMatchConditions, judgeConditions } from './conditions.ts';
import { KindEvaluator } from './evaluator.ts';
import { readsOfKind } from './reads.ts';
import { type Allowances, noAllowances, scopeOf } from './scope.ts';
import type { NamedExpression } from './types.ts';

/** PolicyExceptions of `policies.kyverno.io`: what they exempt, or what they allow expressions to let pass. */

/** What an exception says, compiled. */
export interface KindException extends Allowances {
  /** Its conditions look up what a policy of this namespace may: whoever writes it may be no administrator. */
  readonly namespace: string;
  readonly conditions: readonly Expression[];
  readonly reportsPass: boolean;
  /** In milliseconds; infinite for one that does not end. */
  readonly expiresAt: number;
  readonly priority: number;
}

interface ExceptionSpec {
  readonly policyRefs?: readonly { readonly name: string; readonly kind: string }[];
  readonly matchConditions?: readonly NamedExpression[];
  readonly images?: readonly string[];
  readonly allowedValues?: readonly string[];
  readonly reportResult?: string;
  readonly expiresAt?: string;
}

const specShape = object(
  {
    policyRefs: listOf(object({ name: string, kind: string }, ['name', 'kind'])),
    matchConditions: namedExpressions,
    images: listOf(string),
    allowedValues: listOf(string),
    reportResult: oneOf('skip', 'pass'),
    expiresAt: string,
    properties: mapOf(string),
    // Which of Kyverno's controllers reads it; here one program does.
    evaluationMode: string,
  },
  ['policyRefs'],
);

export const isKindException = (value: unknown): boolean =>
  isJsonObject(value) &&
  value['kind'] === 'PolicyException' &&
  typeof value['apiVersion'] === 'string' &&
  value['apiVersion'].startsWith('policies.kyverno.io/');

/** Of policies of any kind. */
const scope = lazy(() => scopeOf(policyLanguage('mutate', false)));

const priorityLabel = 'policies.kyverno.io/exception-priority';

/** Checks and compiles an exception; never throws. */
export function compileKindException(value: unknown): {
  readonly program: CompiledException | undefined;
  readonly issues: readonly PolicyIssue[];
} {
  const issues = new Issues();
  const exception = value as KubeObject;
  const spec = (exception['spec'] ?? {}) as ExceptionSpec;
  if (!checkSize(value, issues)) return { program: undefined, issues: issues.list };
  checkShape(spec, specShape, 'spec', issues);
  checkExpressionLimits(spec, issues);
  if (!isJsonObject(exception.metadata)) issues.error('policy-field-type', 'metadata', 'must be an object');
  if (issues.hasErrors) return { program: undefined, issues: issues.list };
  if (!spec.policyRefs?.length) issues.error('policy-field-required', 'spec.policyRefs', 'must not be empty');
  checkNames(spec.matchConditions, 'spec.matchConditions', issues);
  const conditions = compileMatchConditions(spec.matchConditions, scope());
  for (const [i, condition] of conditions.entries()) {
    reportExpression(issues, `spec.matchConditions[${i}].expression`, condition);
  }
  const expiresAt = spec.expiresAt ? Date.parse(spec.expiresAt) : Number.POSITIVE_INFINITY;
  if (Number.isNaN(expiresAt)) issues.error('policy-field-value', 'spec.expiresAt', 'must be a date and time');
  if (issues.hasErrors) return { program: undefined, issues: issues.list };
  const { name = '', namespace, labels = {} } = exception.metadata;
  const refs = spec.policyRefs ?? [];
  const cel: KindException = {
    namespace: namespace ?? '',
    conditions,
    allowedImages: spec.images ?? [],
    allowedValues: spec.allowedValues ?? [],
    reportsPass: spec.reportResult === 'pass',
    expiresAt,
    priority: Number.parseInt(labels[priorityLabel] ?? '0', 10) || 0,
  };
  const program: CompiledException = {
    exception,
    policies: refs.map((ref) => ref.name),
    reads: readsOfKind({ matchConditions: spec.matchConditions ?? [] }, []),
    key: namespace ? `${namespace}/${name}` : name,
    podSecurity: [],
    covers: ({ form, policy }) =>
      form === 'cel' && refs.some((ref) => ref.name === policy.metadata.name && ref.kind === policy.kind),
    applies: () => false,
    cel,
  };
  return { program, issues: [] };
}

/** What exceptions make of a request: an outcome in place of the policy's own, or what its expressions may let pass. */
type Excused = { readonly outcome: RuleOutcome } | { readonly allowances: Allowances };

const notExcused: Excused = { allowances: noAllowances };

/** Judged before everything else of a policy; an exception whose conditions fail is an error, unless errors are ignored. */
export function judgeExceptions(run: Run, exceptions: readonly CompiledException[], ignoresErrors: boolean): Excused {
  if (exceptions.length === 0) return notExcused;
  const applying: { readonly key: string; readonly cel: KindException }[] = [];
  for (const { key, cel, reads } of exceptions) {
    if (!cel || cel.expiresAt <= run.request.now) continue;
    const confinedRun = confined(run, cel.namespace);
    const asks = reads.namespace && !run.readsNamespace;
    const evaluator = new KindEvaluator(
      asks ? changedRun(confinedRun, { readsNamespace: true }) : confinedRun,
      noAllowances,
      {
        expressions: new Map(),
        scope: scope(),
      },
    );
    const met = judgeConditions(cel.conditions, evaluator, 'exception');
    if (met === true) applying.push({ key, cel });
    else if (met !== false && !ignoresErrors) {
      return { outcome: { ...errored(`failed to load context: ${met.error}`), ruleName: 'evaluation' } };
    }
  }
  if (applying.length === 0) return notExcused;
  for (const { key } of applying) run.trace?.({ kind: 'exception', name: key });
  const allowances = {
    allowedImages: applying.flatMap(({ cel }) => cel.allowedImages),
    allowedValues: applying.flatMap(({ cel }) => cel.allowedValues),
  };
  if (allowances.allowedImages.length > 0 || allowances.allowedValues.length > 0) return { allowances };
  return { outcome: exempted(applying) };
}

function confined(run: Run, namespace: string): Run {
  return namespace === '' ? run : changedRun(run, { context: { ...run.context, policyNamespace: namespace } });
}

function exempted(applying: readonly { readonly key: string; readonly cel: KindException }[]): RuleOutcome {
  const keys = applying.map(({ key }) => key);
  // Of equal priority, the first decides how the result is told.
  const [first] = [...applying].sort((a, b) => b.cel.priority - a.cel.priority);
  const outcome = first?.cel.reportsPass ? pass : skip;
  const what = first?.cel.reportsPass ? 'passed' : 'skipped';
  return {
    ...outcome(`rule is ${what} due to policy exception: ${keys.join(', ')}`),
    ruleName: 'exception',
    exceptions: keys,
  };
}
