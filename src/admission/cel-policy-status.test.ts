import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import { compilePolicy, type PolicyObject } from '../policy/index.ts';
import { celPolicyStatus } from './cel-policy-status.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const rule = (resources: readonly string[]) => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources,
});
const live = (spec: object, more: object = {}) => {
  const object = {
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'ValidatingPolicy',
    metadata: { name: 'p' },
    spec: { validations: [{ expression: 'object.spec.hostPID == false' }], ...spec },
    ...more,
  } as KubeObject as PolicyObject;
  return { object, key: 'ValidatingPolicy/p', ...compilePolicy(object) };
};
const pods = { matchConstraints: { resourceRules: [rule(['pods'])] } };
const configMaps = { matchConstraints: { resourceRules: [rule(['configmaps'])] } };
const shown = (status: ReturnType<typeof celPolicyStatus>) =>
  status!.conditionStatus.conditions.map(({ type, status: is, reason, message }) => [type, is, reason, message]);

describe('the status of a policy of expressions', () => {
  it('has the two conditions of Kyverno once the webhook is registered', () => {
    expect(celPolicyStatus(live(configMaps), { isRegistered: false, now })).toBeUndefined();
    const status = celPolicyStatus(live(configMaps), { isRegistered: true, now })!;
    expect(shown(status)).toEqual([
      ['WebhookConfigured', 'True', 'Succeeded', 'Webhook configured.'],
      ['RBACPermissionsGranted', 'True', 'Succeeded', 'Policy is ready for reporting.'],
    ]);
    expect(status.conditionStatus).toMatchObject({ ready: true, message: '' });
    expect(status.autogen).toEqual({});
    expect(celPolicyStatus(live(configMaps, { status }), { isRegistered: true, now: now + 5000 })).toEqual(status);
  });

  it('tells which of its resources the cluster does not serve, and is ready for the others', () => {
    const unknownKinds = [
      { path: 'spec.matchConstraints.resourceRules[0]', type: 'resource', name: 'podz of v1' } as const,
    ];
    const status = celPolicyStatus(live(configMaps), { isRegistered: true, now, unknownKinds })!;
    expect(shown(status).at(-1)!.slice(0, 3)).toEqual(['KindsServed', 'False', 'KindNotServed']);
    expect(status.conditionStatus).toMatchObject({ ready: true, message: expect.stringContaining('podz of v1') });
    const over = celPolicyStatus(live(configMaps, { status }), { isRegistered: true, now, unknownKinds: [] })!;
    expect(shown(over).map(([type]) => type)).not.toContain('KindsServed');
  });

  it('drops conditions of other writers and versions', () => {
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '2025-01-01T00:00:00Z' },
    ];
    const status = celPolicyStatus(live(configMaps, { status: { conditionStatus: { conditions } } }), {
      isRegistered: true,
      now,
    });
    expect(status!.conditionStatus.conditions.map(({ type }) => type)).toEqual([
      'WebhookConfigured',
      'RBACPermissionsGranted',
    ]);
  });

  it('shows what is derived for controllers, as far as the policy chooses them', () => {
    const { autogen } = celPolicyStatus(live(pods), { isRegistered: true, now })!;
    expect(Object.keys(autogen.configs!)).toEqual(['defaults', 'cronjobs']);
    expect(autogen.configs!['defaults']!.targets[1]).toEqual({
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      kind: 'Deployment',
    });
    expect(autogen.configs!['cronjobs']!.spec).toMatchObject({
      matchConstraints: {
        resourceRules: [{ apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['cronjobs'] }],
      },
      validations: [{ expression: 'object.spec.jobTemplate.spec.template.spec.hostPID == false' }],
    });
    const none = { ...pods, autogen: { podControllers: { controllers: [] } } };
    expect(celPolicyStatus(live(none), { isRegistered: true, now })!.autogen).toEqual({});
    const large = { ...pods, variables: [{ name: 'v', expression: `'${'x'.repeat(250_000)}'` }] };
    expect(celPolicyStatus(live(large), { isRegistered: true, now })!.autogen).toEqual({});
  });

  it('needs no webhook where requests are none of its business, and no permissions without background', () => {
    const spec = { ...configMaps, evaluation: { admission: { enabled: false } } };
    expect(shown(celPolicyStatus(live(spec), { isRegistered: true, now })).map(([type]) => type)).toEqual([
      'RBACPermissionsGranted',
    ]);
    const requests = { ...configMaps, evaluation: { background: { enabled: false } } };
    expect(shown(celPolicyStatus(live(requests), { isRegistered: true, now }))[1]).toEqual([
      'RBACPermissionsGranted',
      'True',
      'Succeeded',
      'Background scanning disabled; reporting permissions not required.',
    ]);
  });

  it('is not ready when it cannot be compiled, the webhook is refused, or kinds cannot be read', () => {
    const wrong = celPolicyStatus(live({ ...configMaps, validations: [{ expression: 'object.(' }] }), {
      isRegistered: false,
      now,
    })!;
    expect(wrong.conditionStatus.ready).toBe(false);
    expect(wrong.conditionStatus.message).toContain('spec.validations[0].expression');
    const refused = celPolicyStatus(live(configMaps), { isRegistered: true, refusal: 'too long', now })!;
    expect(shown(refused)[0]).toEqual([
      'WebhookConfigured',
      'False',
      'Failed',
      "the policy's webhook is not registered: too long",
    ]);
    const problem = { reason: 'MissingPermission', message: 'grant list on configmaps' };
    const forbidden = celPolicyStatus(live(configMaps), { isRegistered: true, now, problem })!;
    expect(forbidden.conditionStatus).toMatchObject({
      ready: false,
      message: 'Policy is not ready for reporting, grant list on configmaps',
    });
  });

  it('stays ready with a part that does not work, and tells which', () => {
    const problem = { reason: 'ListFailed', message: 'cannot list configmaps' };
    const status = celPolicyStatus(live(configMaps), { isRegistered: true, now, problem })!;
    expect(status.conditionStatus).toMatchObject({ ready: true, message: 'cannot list configmaps' });
    expect(shown(status)[2]).toEqual(['Working', 'False', 'ListFailed', 'cannot list configmaps']);
  });
});
