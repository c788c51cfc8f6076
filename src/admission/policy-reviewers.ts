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
  readonly later: AuditQueue;
  /** Hears of every rule that was judged, at once: it must be quick. Not of dry runs. */
  readonly count: (results: readonly RuleResult[]) => void;
  /** Whether `onResults` is to hear of these. Most requests pass, and to keep them for later costs memory. */
  readonly isNews: (results: readonly RuleResult[]) => boolean;
  /** Hears of news once the answer is out; not of dry runs. */
  readonly onResults: OnResults;
  readonly clock: Clock;
  readonly log: Logger;
}

const admitted: AdmissionDecision = {};

/** The two who judge requests by policies: one changes, then one says yes or no. */
export function createPolicyReviewers(options: PolicyReviewersOptions): {
  readonly mutate: Reviewer;
  readonly validate: Reviewer;
} {
  const { policies, namespaces, later, onResults } = options;
  const reader = createRequestReader(options);
  const judge = createAdmissionEvaluator(options);
  const ready = () =>
    policies.hasSynced && namespaces.hasSynced ? true : 'the policies of the cluster are not all known yet';

  /** Undefined when no policy is to be asked about this request. */
  const open = (request: AdmissionRequest, context: ReviewContext): MaybePromise<Case | undefined> => {
    const set = policies.current;
    const group = groupsOf(set).get(context.route);
    // A webhook that is registered still, while its last policy is gone already.
    if (!group || isMetadataUpdateUnderDeletion(request)) return undefined;
    const signal = () => context.signal;
    return andThen(reader.kindOf(request, signal), (known) => {
      if (options.filters.excludes(known, request.subResource, request.namespace, request.name)) return undefined;
      return andThen(reader.read(request, known, signal), (policyRequest) => {
        const { exceptions } = set;
        const budget = newRequestBudget();
        const hearing = { request: policyRequest, exceptions, signal, known: new Map(), budget };
        return { group, set, kind: known, hearing };
      });
    });
  };
  const tell = (request: PolicyRequest, bytes: number, results: readonly RuleResult[], isBlocked: boolean) => {
    if (request.dryRun || results.length === 0) return;
    options.count(results);
    if (options.isNews(results)) later.add(bytes, () => onResults({ request, results, isBlocked }));
  };

  const mutate = (request: AdmissionRequest, context: ReviewContext): MaybePromise<AdmissionDecision> =>
    andThen(open(request, context), (opened) => {
      if (!opened || request.object === undefined) return admitted;
      const { group, kind, hearing } = opened;
      const programs = group.mutate.select('mutate', kind, request.subResource);
      return andThen(judge(programs, 'mutate', hearing), (judged) => mutateBy(judged, opened, request, context.bytes));
    });
  const mutateBy = (
    { results, object }: AdmissionEvaluationResult,
    { group, hearing }: Case,
    request: AdmissionRequest,
    bytes: number,
  ): AdmissionDecision => {
    const blocking = results.filter(({ status }) => status === 'error' && group.failurePolicy === 'Fail');
    tell(hearing.request, bytes, results, blocking.length > 0);
    const warnings = results.filter((result) => isWarning(result, result.status === 'error')).map(renderWarning);
    if (blocking.length > 0) return { denied: renderRefusal(subjectOf(hearing.request), blocking), warnings };
    const patch = object === hearing.request.object ? [] : diffJson(request.object, object);
    return { warnings, patch };
  };

  const validate = (request: AdmissionRequest, context: ReviewContext): MaybePromise<AdmissionDecision> =>
    andThen(open(request, context), (opened) =>
      opened
        ? andThen(judgeAll(opened.group.now, opened, request), (results) =>
            validateBy(results, opened, request, context.bytes),
          )
        : admitted,
    );
  const validateBy = (
    results: readonly RuleResult[],
    opened: Case,
    request: AdmissionRequest,
    bytes: number,
  ): AdmissionDecision => {
    const { group, hearing } = opened;
    const isEnforced = ({ rule }: RuleResult) =>
      rule.failureAction(request.namespace, hearing.request.namespaceLabels) === 'Enforce';
    const blocking = results.filter(
      (result) =>
        (result.status === 'fail' || (result.status === 'error' && group.failurePolicy === 'Fail')) &&
        isEnforced(result),
    );
    const isBlocked = blocking.length > 0;
    tell(hearing.request, bytes, results, isBlocked);
    if (!isBlocked && !request.dryRun) judgeLater(opened, request, bytes);
    const warnings = results
      .filter(
        (result) => !blocking.includes(result) && isWarning(result, result.status === 'error' && isEnforced(result)),
      )
      .map(renderWarning);
    return isBlocked ? { denied: renderRefusal(subjectOf(hearing.request), blocking), warnings } : { warnings };
  };
  const judgeAll = (
    set: PolicySet,
    { kind, hearing }: Case,
    { subResource }: AdmissionRequest,
  ): MaybePromise<readonly RuleResult[]> =>
    andThen(judge(set.select('verifyImages', kind, subResource), 'verifyImages', hearing), (images) =>
      andThen(judge(set.select('validate', kind, subResource), 'validate', hearing), (checks) =>
        images.results.length === 0 ? checks.results : [...images.results, ...checks.results],
      ),
    );
  /** Rules that refuse nothing keep nobody waiting. */
  const judgeLater = (opened: Case, request: AdmissionRequest, bytes: number) => {
    const { later: rest } = opened.group;
    const { kind } = opened;
    const concerned = (phase: 'verifyImages' | 'validate') => rest.select(phase, kind, request.subResource).length > 0;
    if (rest.programs.length === 0 || !(concerned('validate') || concerned('verifyImages'))) return;
    later.add(bytes, async () => {
      const signal = AbortSignal.timeout(auditTimeoutMs);
      const hearing: AdmissionEvaluationContext = {
        ...opened.hearing,
        signal: () => signal,
        budget: newRequestBudget(),
      };
      const results = await judgeAll(rest, { ...opened, hearing }, request);
      options.count(results);
      if (options.isNews(results)) onResults({ request: hearing.request, results, isBlocked: false });
    });
  };

  return {
    mutate: { path: 'mutate', ready, review: mutate },
    validate: { path: 'validate', ready, review: validate },
  };
}

interface Case {
  readonly group: PolicyGroup;
  readonly set: PolicySet;
  readonly kind: GroupVersionKind;
  readonly hearing: AdmissionEvaluationContext;
}

const auditTimeoutMs = 10_000;

/** A rule that would have decided and was not evaluated is always said: under Ignore the request passes without it. */
function isWarning({ status, code, policy }: RuleResult, isUndecided: boolean): boolean {
  if (isUndecided || code === 'budget-exceeded') return true;
  return (status === 'fail' || status === 'error') && policy.policy.spec.emitWarning === true;
}

function subjectOf({ object, oldObject }: PolicyRequest): KubeObject {
  return object ?? oldObject ?? { apiVersion: '', kind: '', metadata: {} };
}
