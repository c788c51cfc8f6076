import { expect, it } from 'vitest';
import type { EventContent, EventSubject } from '../kube/index.ts';
import { compilePolicy, type RuleResult, type RuleStatus } from '../policy/index.ts';
import { defaultOmittedEvents, recordEvents } from './events.ts';

const { program } = compilePolicy({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'p', uid: 'u' },
  spec: {
    validationFailureAction: 'Enforce',
    rules: [
      {
        name: 'r',
        match: { any: [{ resources: { kinds: ['ConfigMap'] } }] },
        validate: { message: 'm', pattern: { data: { a: 'b' } } },
      },
    ],
  },
});
const result = (status: RuleStatus, more: Partial<RuleResult> = {}): RuleResult => ({
  policy: program!,
  rule: program!.rules[0]!,
  status,
  message: 'why',
  steps: [],
  ...more,
});

const recorded = (results: readonly RuleResult[], isBlocked = false, omitted: readonly string[] = []) => {
  const lines: string[] = [];
  const record = (subject: EventSubject, { type, reason, message }: EventContent) =>
    void lines.push(`${subject.kind} ${type} ${reason} ${message}`);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } };
  const request = {
    operation: 'CREATE' as const,
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    subresource: '',
    object,
    namespaceLabels: {},
    uid: '',
    now: 0,
  };
  recordEvents({ record }, new Set(omitted), { request, results, isBlocked });
  return lines;
};

it('records a violation on the policy and, if the object was admitted, on the object', () => {
  expect(recorded([result('fail')])).toEqual([
    'ClusterPolicy Warning PolicyViolation ConfigMap shop/a: [r] fail; why',
    'ConfigMap Warning PolicyViolation policy p/r fail: why',
  ]);
  expect(recorded([result('fail')], true)).toEqual([
    'ClusterPolicy Warning PolicyViolation ConfigMap shop/a: [r] fail (blocked); why',
  ]);
});

it('records errors, passes and skips by exceptions, each with its own reason', () => {
  const results = [result('error'), result('pass'), result('skip', { exceptions: ['e'] }), result('skip')];
  expect(recorded(results, true).map((line) => line.split(' ')[2])).toEqual([
    'PolicyError',
    'PolicyApplied',
    'PolicySkipped',
  ]);
  expect(recorded(results, true, defaultOmittedEvents).map((line) => line.split(' ')[2])).toEqual(['PolicyError']);
});
