import { expect, it } from 'vitest';
import { systemClock } from '../base/index.ts';
import type { ExplainNode, ExplainSubject } from '../dashboard/index.ts';
import type { KubeObject } from '../object/index.ts';
import { createExplainRule } from './explain-rule.ts';

const { signal } = new AbortController();
const type = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
const pod = (containers: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { containers: Array.from({ length: containers }, (_, i) => ({ name: `c${i}`, image: 'nginx:latest' })) },
});
const namespace: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', labels: { tier: 'a' } },
};
const policyWith = (rule: object, annotations = {}): KubeObject => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'p', annotations },
  spec: { rules: [{ name: 'r', match: { any: [{ resources: { kinds: ['Pod'] } }] }, ...rule }] },
});
const pattern = { message: 'no latest', pattern: { spec: { containers: [{ image: '!*:latest' }] } } };
const explain = createExplainRule({ exceptionNamespaces: ['platform'], clock: systemClock });
const explained = (policy: KubeObject, more: Partial<ExplainSubject> = {}) =>
  explain(
    { policy, rule: 'r', object: pod(1), type, namespace, exceptions: [], exceptionsAreSome: false, ...more },
    signal,
  );
const labels = (node: ExplainNode): readonly string[] => [
  `${node.status} ${node.label}`,
  ...node.children.flatMap(labels),
];

it('says where a pattern does not fit', async () => {
  const answer = await explained(policyWith({ validate: pattern }));
  expect(answer).toMatchObject({ result: 'fail', message: expect.stringContaining('no latest') });
  expect(labels(answer!.tree)).toEqual(
    expect.arrayContaining(['fail rule r: fail', 'fail expected "!*:latest"', 'fail found "nginx:latest"']),
  );
});

it('says that a rule does not match, by the labels of the namespace', async () => {
  const resources = { kinds: ['Pod'], namespaceSelector: { matchLabels: { tier: 'b' } } };
  const answer = await explained(policyWith({ match: { any: [{ resources }] }, validate: pattern }));
  expect(answer).toMatchObject({ result: 'skip' });
  expect(labels(answer!.tree).join('\n')).toMatch(/namespaceSelector .* does not match \{"tier":"a"\}/);
});

it('counts exceptions as the cluster does', async () => {
  const inNamespace = (name: string): KubeObject => ({
    apiVersion: 'kyverno.io/v2',
    kind: 'PolicyException',
    metadata: { name: 'e', namespace: name },
    spec: {
      exceptions: [{ policyName: 'p', ruleNames: ['r'] }],
      match: { any: [{ resources: { kinds: ['Pod'] } }] },
    },
  });
  const policy = policyWith({ validate: pattern });
  const excepted = await explained(policy, { exceptions: [inNamespace('platform')] });
  expect(excepted).toMatchObject({ result: 'skip' });
  expect(await explained(policy, { exceptions: [inNamespace('shop')] })).toMatchObject({ result: 'fail' });
});

it('looks nothing up, and says what it would have', async () => {
  const context = [{ name: 'c', apiCall: { urlPath: '/api/v1/namespaces/kube-system/secrets' } }];
  const deny = { conditions: { any: [{ key: '{{ c.x }}', operator: 'Equals', value: 'y' }] } };
  const answer = await explained(policyWith({ context, validate: { deny } }));
  expect(answer).toMatchObject({ result: 'error' });
  expect(labels(answer!.tree)).toContain(
    'info not looked up: GET /api/v1/namespaces/kube-system/secrets; an explanation looks nothing up',
  );
});

it('says what it could not consider', async () => {
  const answer = await explained(policyWith({ validate: pattern }), { namespace: undefined, exceptions: undefined });
  expect(labels(answer!.tree).filter((label) => label.includes('not considered'))).toHaveLength(2);
});

it('has a warning for a policy that is not scored', async () => {
  const policy = policyWith({ validate: pattern }, { 'policies.kyverno.io/scored': 'false' });
  expect(await explained(policy)).toMatchObject({ result: 'warn' });
});

it('explains a policy of expressions by its own name', async () => {
  const policy: KubeObject = {
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'ValidatingPolicy',
    metadata: { name: 'v' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [{ expression: 'object.spec.containers.size() == 0', message: 'none' }],
    },
  };
  const answer = await explained(policy, { rule: 'v' });
  expect(answer).toMatchObject({ result: 'fail', message: 'none' });
});

it('is undefined for a rule that the policy does not have, and for a policy that cannot run', async () => {
  expect(await explained(policyWith({ validate: pattern }), { rule: 'x' })).toBeUndefined();
  expect(await explained(policyWith({ validate: { pattern: {}, deny: {} } }))).toBeUndefined();
});

it('bounds the size of the answer', async () => {
  const foreach = [{ list: 'request.object.spec.containers', pattern: { image: '*' } }];
  const answer = await explained(policyWith({ validate: { message: 'm', foreach } }), { object: pod(5_000) });
  const all = labels(answer!.tree);
  expect(all.length).toBeLessThan(1_100);
  expect(all.some((label) => /^info \d+ more are left out$/.test(label))).toBe(true);
});
