import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import { exceptionFact, policyFact } from './project-reports.ts';

const policy = (apiVersion: string, kind: string, status: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'p' },
  status,
});
const problemOf = (status: object, apiVersion = 'policies.kyverno.io/v1', kind = 'ValidatingPolicy') => {
  const { problem, message } = policyFact(policy(apiVersion, kind, status)) ?? {};
  return problem === undefined ? undefined : [problem, message];
};
const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
});

describe('a policy with a problem', () => {
  it('is one of rules that is not ready or does not work', () => {
    const classic = (...conditions: readonly object[]) => problemOf({ conditions }, 'kyverno.io/v1', 'ClusterPolicy');
    expect(classic(condition('Ready', 'True', 'Succeeded', ''))).toBeUndefined();
    expect(classic(condition('Ready', 'False', 'Failed', 'no'))).toEqual(['Failed', 'no']);
    expect(classic(condition('Ready', 'True', 'Ok', ''), condition('Working', 'False', 'Budget', 'slow'))).toEqual([
      'Budget',
      'slow',
    ]);
  });

  it('is one of expressions that is not ready or does not work, by its own status', () => {
    const met = condition('WebhookConfigured', 'True', 'Succeeded', '');
    const failed = condition('RBACPermissionsGranted', 'False', 'Failed', 'cannot list pods');
    const run = condition('LastRunSucceeded', 'False', 'Failed', 'one object is left');
    const working = condition('Working', 'False', 'Budget', 'slow');
    const of = (ready: boolean | undefined, message: string, ...conditions: readonly object[]) =>
      problemOf({ conditionStatus: { ready, message, conditions } });
    expect(of(true, '', met)).toBeUndefined();
    expect(of(true, '', met, run)).toBeUndefined();
    expect(of(undefined, '')).toBeUndefined();
    expect(of(false, 'a; b', met, failed)).toEqual(['Failed', 'a; b']);
    expect(of(false, '', met, failed)).toEqual(['Failed', 'cannot list pods']);
    expect(of(false, '')).toEqual(['NotReady', '']);
    expect(of(true, 'slow', met, working)).toEqual(['Budget', 'slow']);
    expect(of(false, 'x'.repeat(2_000))?.[1]).toHaveLength(500);
  });
});

it('an exception names rules, or policies of expressions', () => {
  const rulesOf = (spec: object) =>
    exceptionFact({ apiVersion: 'kyverno.io/v2', kind: 'PolicyException', metadata: { name: 'e' }, spec }).rules;
  expect(rulesOf({ exceptions: [{ policyName: 'p', ruleNames: ['a', 'b'] }, { policyName: 'q' }] })).toEqual([
    'p/a',
    'p/b',
    'q/*',
  ]);
  expect(rulesOf({ policyRefs: [{ name: 'p', kind: 'ValidatingPolicy' }] })).toEqual(['ValidatingPolicy/p/*']);
});
