import { andThen, type Clock, type Logger, type MaybePromise } from '../base/index.ts';
import type { Discovery } from '../kube/index.ts';
import { diffJson, type GroupVersionKind, type KubeObject } from '../object/index.ts';
import { newRequestBudget, type PolicyRequest, type RuleResult } from '../policy/index.ts';
import type { EvaluationTurns, LivePolicies, LookUps, Namespaces, PolicySet, Roles } from '../runtime/index.ts';
import {
  type AdmissionDecision,
  type AdmissionRequest,
  createRequestReader,
  type ReviewContext,
  type Reviewer,
} from '../webhook/index.ts';
import type { AuditQueue } from './audit-queue.ts';
import { isMetadataUpdateUnderDeletion } from './deletion.ts';
import {
  type AdmissionEvaluationContext,
  type AdmissionEvaluationResult,
  createAdmissionEvaluator,
} from './evaluator.ts';
import { renderRefusal, renderWarning } from './message.ts';
import { groupsOf, type PolicyGroup } from './policy-groups.ts';
import type { ResourceFilters } from './resource-filters.ts';
import type { OnResults } from './results.ts';

export interface PolicyReviewersOptions {
  readonly policies: Pick<LivePolicies, 'current' | 'hasSynced'>;
  readonly lookUps: LookUps;
  readonly namespaces: Namespaces;
  readonly roles: Roles;
  readonly turns: EvaluationTurns;
  readonly discovery: Pick<Discovery, 'byResource'>;
  readonly filters: ResourceFilters;
  readonly auditQueue: AuditQueue;
  /** Called with every rule result, before the response: it must be fast. Not called for dry runs. */
  readonly count: (results: readonly RuleResult[]) => void;
  /** Whether `onResults` needs these results. Most requests pass, and queued results hold memory. */
  readonly shouldReport: (results: readonly RuleResult[]) => boolean;
  /** Called from the audit queue, after the response; not called for dry runs. */
  readonly onResults: OnResults;
  readonly clock: Clock;
  readonly log: Logger;
}

const admitted: AdmissionDecision = {};

/** The reviewers of the mutating and the validating webhooks. */
export function createPolicyReviewers(options: PolicyReviewersOptions): {
  readonly mutate: Reviewer;
  readonly validate: Reviewer;
} {
  const { policies, namespaces, auditQueue, onResults } = options;
  const reader = createRequestReader(options);
  const evaluatePhase = createAdmissionEvaluator(options);
  const ready = () => (policies.hasSynced && namespaces.hasSynced ? true : 'the policies are not synced yet');

  /** Undefined when no policy applies to this request. */
  const openRequest = (request: AdmissionRequest, context: ReviewContext): MaybePromise<RequestContext | undefined> => {
    const set = policies.current;
    const group = groupsOf(set).get(context.route);
    // The webhook may still be registered after its last policy is deleted.
    if (!group || isMetadataUpdateUnderDeletion(request)) return undefined;
    const signal = () => context.signal;
    return andThen(reader.kindOf(request, signal), (kind) => {
      if (options.filters.excludes(kind, request.subResource, request.namespace, request.name)) return undefined;
      return andThen(reader.read(request, kind, signal), (policyRequest) => {
        const { exceptions } = set;
        const budget = newRequestBudget();
        const evaluation = { request: policyRequest, exceptions, signal, known: new Map(), budget };
        return { group, set, kind, evaluation };
      });
    });
  };
  const report = (request: PolicyRequest, bytes: number, results: readonly RuleResult[], isBlocked: boolean) => {
    if (request.dryRun || results.length === 0) return;
    options.count(results);
    if (options.shouldReport(results)) auditQueue.add(bytes, () => onResults({ request, results, isBlocked }));
  };

  const mutate = (request: AdmissionRequest, context: ReviewContext): MaybePromise<AdmissionDecision> =>
    andThen(openRequest(request, context), (opened) => {
      if (!opened || request.object === undefined) return admitted;
      const { group, kind, evaluation } = opened;
      const programs = group.mutate.select('mutate', kind, request.subResource);
      return andThen(evaluatePhase(programs, 'mutate', evaluation), (evaluated) =>
        decideMutation(evaluated, opened, request, context.bytes),
      );
    });
  const decideMutation = (
    { results, object }: AdmissionEvaluationResult,
    { group, evaluation }: RequestContext,
    request: AdmissionRequest,
    bytes: number,
  ): AdmissionDecision => {
    const blocking = results.filter(({ status }) => status === 'error' && group.failurePolicy === 'Fail');
    report(evaluation.request, bytes, results, blocking.length > 0);
    const warnings = results.filter((result) => isWarning(result, result.status === 'error')).map(renderWarning);
    if (blocking.length > 0) return { denied: renderRefusal(subjectOf(evaluation.request), blocking), warnings };
    const patch = object === evaluation.request.object ? [] : diffJson(request.object, object);
    return { warnings, patch };
  };

  const validate = (request: AdmissionRequest, context: ReviewContext): MaybePromise<AdmissionDecision> =>
    andThen(openRequest(request, context), (opened) =>
      opened
        ? andThen(evaluateChecks(opened.group.beforeResponse, opened, request), (results) =>
            decideValidation(results, opened, request, context.bytes),
          )
        : admitted,
    );
  const decideValidation = (
    results: readonly RuleResult[],
    opened: RequestContext,
    request: AdmissionRequest,
    bytes: number,
  ): AdmissionDecision => {
    const { group, evaluation } = opened;
    const isEnforced = ({ rule }: RuleResult) =>
      rule.failureAction(request.namespace, evaluation.request.namespaceLabels) === 'Enforce';
    // Nearly all requests pass: what follows is for the others.
    const notable = results.filter(isNotable);
    const blocking = notable.filter(
      (result) =>
        (result.status === 'fail' ||
          // The failure policy of a policy of expressions is for its conditions alone, which it judges itself.
          (result.status === 'error' && (group.failurePolicy === 'Fail' || result.policy.form === 'cel'))) &&
        isEnforced(result),
    );
    const isBlocked = blocking.length > 0;
    report(evaluation.request, bytes, results, isBlocked);
    if (!isBlocked && !request.dryRun) queueAudit(opened, request, bytes);
    const warnings = notable
      .filter(
        (result) => !blocking.includes(result) && isWarning(result, result.status === 'error' && isEnforced(result)),
      )
      .map(renderWarning);
    return isBlocked ? { denied: renderRefusal(subjectOf(evaluation.request), blocking), warnings } : { warnings };
  };
  const evaluateChecks = (
    set: PolicySet,
    { kind, evaluation }: RequestContext,
    { subResource }: AdmissionRequest,
  ): MaybePromise<readonly RuleResult[]> =>
    andThen(evaluatePhase(set.select('verifyImages', kind, subResource), 'verifyImages', evaluation), (images) =>
      andThen(evaluatePhase(set.select('validate', kind, subResource), 'validate', evaluation), (checks) =>
        images.results.length === 0 ? checks.results : [...images.results, ...checks.results],
      ),
    );
  /** Audit rules do not delay the response. */
  const queueAudit = (opened: RequestContext, request: AdmissionRequest, bytes: number) => {
    const { afterResponse } = opened.group;
    const { kind } = opened;
    const hasRules = (phase: 'verifyImages' | 'validate') =>
      afterResponse.select(phase, kind, request.subResource).length > 0;
    if (afterResponse.programs.length === 0 || !(hasRules('validate') || hasRules('verifyImages'))) return;
    auditQueue.add(bytes, async () => {
      const signal = AbortSignal.timeout(auditTimeoutMs);
      const evaluation: AdmissionEvaluationContext = {
        ...opened.evaluation,
        signal: () => signal,
        budget: newRequestBudget(),
      };
      const results = await evaluateChecks(afterResponse, { ...opened, evaluation }, request);
      options.count(results);
      if (options.shouldReport(results)) onResults({ request: evaluation.request, results, isBlocked: false });
    });
  };

  return {
    mutate: { path: 'mutate', ready, review: mutate },
    validate: { path: 'validate', ready, review: validate },
  };
}

interface RequestContext {
  readonly group: PolicyGroup;
  readonly set: PolicySet;
  readonly kind: GroupVersionKind;
  readonly evaluation: AdmissionEvaluationContext;
}

const auditTimeoutMs = 10_000;

/** Always warn about an enforced rule that was not evaluated: under Ignore the request is admitted without it. */
/** A result that may block or warn. */
const isNotable = ({ status, code }: RuleResult) => status === 'fail' || status === 'error' || code !== undefined;

function isWarning({ status, code, policy }: RuleResult, isUndecided: boolean): boolean {
  if (isUndecided || code === 'budget-exceeded') return true;
  return (status === 'fail' || status === 'error') && policy.settings.emitWarning;
}

function subjectOf({ object, oldObject }: PolicyRequest): KubeObject {
  return object ?? oldObject ?? { apiVersion: '', kind: '', metadata: {} };
}
