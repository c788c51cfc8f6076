import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../policy/index.ts';
import type { AdmissionRequest } from '../webhook/index.ts';
import { checkRegistration, createCheckReviewer } from './check-reviewer.ts';

const rule = {
  name: 'r',
  match: { any: [{ resources: { kinds: ['Pod'] } }] },
  validate: { message: 'm', pattern: { spec: { hostPID: false } } },
};
const policy = (rules: readonly object[], metadata: object = {}) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'p', ...metadata },
  spec: { rules },
});
const check = async (object: object, oldObject?: object, selects = true, more: object = {}) => {
  const request = {
    kind: { group: 'kyverno.io', version: 'v1', kind: 'ClusterPolicy' },
    object,
    oldObject,
    ...more,
  } as unknown as AdmissionRequest;
  const context = { route: '', authenticated: false, bytes: 0, signal: new AbortController().signal };
  return createCheckReviewer({
    policies: { selects: () => selects, check: (object) => compilePolicy(object).issues },
    exceptionNamespaces: ['trusted'],
    servedKinds: async () => [{ group: '', version: 'v1', kind: 'Pod', resource: 'pods', subresources: [] }],
  }).review(request, context);
};
const broken = policy([{ ...rule, validate: { message: 'm' } }]);

describe('the check of a policy', () => {
  it('admits a valid policy', async () => expect((await check(policy([rule]))).denied).toBeUndefined());

  it('warns about kinds that the cluster does not serve', async () => {
    const misspelt = { ...rule, match: { any: [{ resources: { kinds: ['Pod', 'Deploymnet'] } }] } };
    expect(await check(policy([misspelt]))).toEqual({
      warnings: [
        'spec.rules[0].match: this cluster serves no kind Deploymnet: correct its spelling, or install its definition',
      ],
    });
  });

  it('warns about resources that the cluster does not serve', async () => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods', 'podz'] };
    const validations = [{ expression: 'true' }];
    const spec = { matchConstraints: { resourceRules: [rule] }, validations };
    const vpol = { apiVersion: 'policies.kyverno.io/v1', kind: 'ValidatingPolicy', metadata: { name: 'p' }, spec };
    const kind = { group: 'policies.kyverno.io', version: 'v1', kind: 'ValidatingPolicy' };
    expect((await check(vpol, undefined, true, { kind })).warnings).toEqual([
      expect.stringContaining('this cluster serves no resource podz of v1'),
    ]);
  });

  it('refuses a policy of a kind that does not run', async () => {
    const ivpol = {
      apiVersion: 'policies.kyverno.io/v1',
      kind: 'ImageValidatingPolicy',
      metadata: { name: 'p' },
      spec: {},
    };
    const kind = { group: 'policies.kyverno.io', version: 'v1', kind: 'ImageValidatingPolicy' };
    expect((await check(ivpol, undefined, true, { kind })).denied).toContain('is not supported yet');
    const [{ rules } = {}] = await checkRegistration().entries(new AbortController().signal);
    expect(rules!.flatMap(({ resources }) => resources)).toContain('namespacedimagevalidatingpolicies');
  });

  it('names the invalid field', async () => {
    expect((await check(broken)).denied).toMatch(/^the ClusterPolicy cannot be used: spec\.rules\[0\]\.validate: /);
  });

  it('admits updates of labels and the deletion of an invalid policy', async () => {
    expect(await check({ ...broken, metadata: { name: 'p', labels: { a: 'b' } } }, broken)).toEqual({});
    const going = { ...broken, metadata: { name: 'p', deletionTimestamp: 'now', annotations: { a: 'b' } } };
    const stored = { ...broken, metadata: { name: 'p', deletionTimestamp: 'now' } };
    expect(await check(going, stored, true, { operation: 'UPDATE' })).toEqual({});
  });

  it('reads policies with integers beyond 2^53', async () => {
    const huge = 9_007_199_254_740_993n;
    const invalid = policy([{ ...rule, validate: { message: 'm', assert: huge } }]);
    expect((await check(invalid)).denied).toContain('must be a map');
    expect(await check({ ...invalid, metadata: { name: 'p', labels: { a: 'b' } } }, invalid)).toEqual({});
  });

  it('names the invalid field of a spec that is changed while the policy is under deletion', async () => {
    const metadata = { name: 'p', deletionTimestamp: 'now' };
    const decision = await check({ ...broken, metadata }, policy([rule], metadata), true, { operation: 'UPDATE' });
    expect(decision.denied).toContain('spec.rules[0].validate');
  });

  it('warns about an exception that does not apply to the policy it names', async () => {
    const exception = (namespace: string, policyName: string) =>
      check(
        {
          apiVersion: 'kyverno.io/v2',
          kind: 'PolicyException',
          metadata: { name: 'e', namespace },
          spec: { exceptions: [{ policyName, ruleNames: ['*'] }], match: { any: [{ resources: { kinds: ['Pod'] } }] } },
        },
        undefined,
        true,
        { kind: { group: 'kyverno.io', version: 'v2', kind: 'PolicyException' }, namespace },
      );
    expect((await exception('shop', 'no-privileged')).warnings?.[0]).toContain('policies.exceptionNamespaces');
    expect((await exception('shop', 'shop/own')).warnings).toEqual([]);
    expect((await exception('trusted', 'no-privileged')).warnings).toEqual([]);
  });

  it('ignores policies of another engine', async () => expect(await check(broken, undefined, false)).toEqual({}));
});
