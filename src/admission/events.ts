import type { EventContent, EventRecorder, EventSubject } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { RuleResult } from '../policy/index.ts';
import type { AdmissionResults } from './results.ts';

const eventReasons = ['PolicyViolation', 'PolicyApplied', 'PolicyError', 'PolicySkipped'] as const;
type EventReason = (typeof eventReasons)[number];

/** As in Kyverno, events for applied and skipped rules are off by default: there are too many of them. */
export const defaultOmittedEvents: readonly EventReason[] = ['PolicyApplied', 'PolicySkipped'];

/** Records Kubernetes events for rule results. The recorder aggregates equal events and bounds its queue. */
export function recordEvents(
  events: Pick<EventRecorder, 'record'>,
  omitted: ReadonlySet<string>,
  { request, results, isBlocked }: AdmissionResults,
): void {
  const subject = request.object ?? request.oldObject;
  if (!subject) return;
  const isEnforced = ({ rule }: RuleResult) =>
    rule.phase === 'mutate' ||
    rule.failureAction(subject.metadata.namespace ?? '', request.namespaceLabels) === 'Enforce';
  for (const result of results) {
    const reason = reasonOf(result);
    if (reason === undefined || omitted.has(reason)) continue;
    const type = reason === 'PolicyViolation' || reason === 'PolicyError' ? 'Warning' : 'Normal';
    events.record(policySubject(result), {
      type,
      reason,
      message: policyMessage(subject, result, isBlocked && isEnforced(result)),
    });
    // A denied object does not exist, and a deleted one soon will not.
    if (type !== 'Warning' || isBlocked || !subject.metadata.name || request.operation === 'DELETE') continue;
    events.record(resourceSubject(subject), { type, reason, message: resourceMessage(result) } satisfies EventContent);
  }
}

/** Whether any of the results causes an event. */
export function hasEvents(omitted: ReadonlySet<string>, results: readonly RuleResult[]): boolean {
  return results.some((result) => {
    const reason = reasonOf(result);
    return reason !== undefined && !omitted.has(reason);
  });
}

function reasonOf({ status, exceptions }: RuleResult): EventReason | undefined {
  if (status === 'fail') return 'PolicyViolation';
  if (status === 'error') return 'PolicyError';
  if (status === 'pass') return 'PolicyApplied';
  return exceptions?.length ? 'PolicySkipped' : undefined;
}

function policyMessage(subject: KubeObject, result: RuleResult, isBlocked: boolean): string {
  const { namespace, name, generateName = '' } = subject.metadata;
  const where = `${subject.kind} ${namespace ? `${namespace}/` : ''}${name || generateName}`;
  const blocked = isBlocked && result.status !== 'pass' ? ' (blocked)' : '';
  return `${where}: ${nameOf(result)}${result.status}${blocked}; ${result.message}`;
}

/** Policies of expressions have no rules to name. */
function nameOf({ rule, ruleName = rule.name }: RuleResult): string {
  return ruleName === '' ? '' : `[${ruleName}] `;
}

function resourceMessage({ policy, rule, ruleName = rule.name, status, message }: RuleResult): string {
  return `policy ${policy.name}${ruleName === '' ? '' : `/${ruleName}`} ${status}: ${message}`;
}

function policySubject({ policy: { policy } }: RuleResult): EventSubject {
  const { apiVersion, kind, metadata } = policy;
  return { apiVersion, kind, name: metadata.name ?? '', namespace: metadata.namespace, uid: metadata.uid };
}

function resourceSubject({ apiVersion, kind, metadata }: KubeObject): EventSubject {
  return { apiVersion, kind, name: metadata.name ?? '', namespace: metadata.namespace, uid: metadata.uid };
}
