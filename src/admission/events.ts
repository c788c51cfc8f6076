import type { EventContent, EventRecorder, EventSubject } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { RuleResult } from '../policy/index.ts';
import type { AdmissionResults } from './results.ts';

export const eventReasons = ['PolicyViolation', 'PolicyApplied', 'PolicyError', 'PolicySkipped'] as const;
export type EventReason = (typeof eventReasons)[number];

/** Applied and skipped ones would be a flood: as in Kyverno, they are told only where somebody asks for them. */
export const defaultOmittedEvents: readonly EventReason[] = ['PolicyApplied', 'PolicySkipped'];

/** Tells in the cluster what policies said; equal events are counted and the queue is bounded by the recorder. */
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
    // What was refused does not exist, and what goes is soon gone.
    if (type !== 'Warning' || isBlocked || !subject.metadata.name || request.operation === 'DELETE') continue;
    events.record(resourceSubject(subject), { type, reason, message: resourceMessage(result) } satisfies EventContent);
  }
}

/** Whether any of the results is told in an event. */
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
  return `${where}: [${result.rule.name}] ${result.status}${blocked}; ${result.message}`;
}

function resourceMessage({ policy, rule, status, message }: RuleResult): string {
  return `policy ${policy.key}/${rule.name} ${status}: ${message}`;
}

function policySubject({ policy: { policy } }: RuleResult): EventSubject {
  const { apiVersion, kind, metadata } = policy;
  return { apiVersion, kind, name: metadata.name ?? '', namespace: metadata.namespace, uid: metadata.uid };
}

function resourceSubject({ apiVersion, kind, metadata }: KubeObject): EventSubject {
  return { apiVersion, kind, name: metadata.name ?? '', namespace: metadata.namespace, uid: metadata.uid };
}
