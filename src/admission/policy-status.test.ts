import { describe, expect, it } from 'vitest';
import { compilePolicy, type PolicyObject } from '../policy/index.ts';
import { policyStatus } from './policy-status.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const live = (rules: readonly object[], more: object = {}) => {
  const object = {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'p' },
    spec: { rules },
    ...more,
  } as unknown as PolicyObject;
  return { object, key: 'p', ...compilePolicy(object) };
};
const rule = {
  name: 'r',
  match: { any: [{ resources: { kinds: ['Pod'] } }] },
  validate: { message: 'm', pattern: { spec: { hostPID: false } } },
};

describe('the status of a policy', () => {
  it('is ready once the webhook is registered, with the derived rules and the count of its own rules', () => {
    const policy = live([rule]);
    expect(policyStatus(policy, { isRegistered: false, now })).toBeUndefined();
    const status = policyStatus(policy, { isRegistered: true, now })!;
    expect(status.conditions).toEqual([
      {
        type: 'Ready',
        status: 'True',
        reason: 'Succeeded',
        message: 'Ready',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]);
    expect(status.rulecount).toEqual({ validate: 1, mutate: 0, generate: 0, verifyimages: 0 });
    expect(status.autogen.rules?.map((one) => (one as { name: string }).name)).toEqual([
      'autogen-r',
      'autogen-cronjob-r',
    ]);
  });

  it('names the invalid field', () => {
    const status = policyStatus(live([{ ...rule, validate: { message: 'm' } }]), { isRegistered: false, now })!;
    expect(status.conditions[0]).toMatchObject({ type: 'Ready', status: 'False', reason: 'Failed' });
    expect(status.conditions[0]?.message).toContain('spec.rules[0].validate');
  });

  it('does not change while the policy does not change', () => {
    const status = policyStatus(live([rule]), { isRegistered: true, now })!;
    const unknownKinds = [{ path: 'spec.rules[0].match', type: 'kind', name: 'Deploymnet' } as const];
    const reported = policyStatus(live([rule]), { isRegistered: true, now, unknownKinds })!;
    expect(reported.conditions.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
      'KindsServed=False',
      'Ready=True',
    ]);
    const over = policyStatus(live([rule], { status: reported }), { isRegistered: true, now, unknownKinds: [] })!;
    expect(over.conditions.map(({ type }) => type)).toEqual(['Ready']);
    expect(policyStatus(live([rule], { status }), { isRegistered: true, now: now + 5000 })).toEqual(status);
  });

  it.each([{ spec: null }, { spec: { rules: 'x' } }, { spec: { rules: [null] } }])('is computed for %j too', (more) => {
    expect(policyStatus(live([], more), { isRegistered: false, now })?.conditions[0]?.status).toBe('False');
  });
});
