import { expect, it } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import type { Attributes } from './attributes.ts';
import type { Rule, Webhook } from './webhook-config.ts';
import { type MatchEnvironment, matchWebhook } from './webhook-match.ts';

const everyRule: Rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: '*' };
// Matching looks at these parts of a webhook and a request alone.
const webhook = (rule: Rule, more: Partial<Webhook> = {}) =>
  ({
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    rules: [{ ...everyRule, ...rule }],
    ...more,
  }) as Webhook;
const labelled = (labels: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name: 'a', labels },
});
const request = (more: Partial<Attributes> = {}) =>
  ({
    operation: 'CREATE',
    resource: { group: 'apps', version: 'v1', resource: 'deployments' },
    subresource: '',
    namespaced: true,
    namespace: 'shop',
    name: 'a',
    object: labelled({ app: 'a' }),
    ...more,
  }) as Attributes;
const namespaceRequest = (more: Partial<Attributes> = {}) =>
  request({
    resource: { group: '', version: 'v1', resource: 'namespaces' },
    namespaced: false,
    namespace: 'a',
    ...more,
  });
const environment: MatchEnvironment = {
  namespaceLabels: (name) => (name === 'shop' ? { env: 'prod' } : undefined),
  equivalents: ({ group, resource }) =>
    group === 'apps' ? [{ group: 'extensions', version: 'v1beta1', resource }] : [],
};
const matches = (hook: Webhook, given = request()) => matchWebhook(hook, given, environment) !== undefined;

it.each<[Rule, Partial<Attributes>, boolean]>([
  [{}, {}, true],
  [{ operations: ['UPDATE', 'CREATE'] }, {}, true],
  [{ operations: ['DELETE'] }, {}, false],
  [{ apiGroups: [''] }, {}, false],
  [{ apiVersions: ['v2'] }, {}, false],
  [{ resources: ['deployments'] }, {}, true],
  [{ resources: ['deployments'] }, { subresource: 'scale' }, false],
  [{ resources: ['*'] }, { subresource: 'scale' }, false],
  [{ resources: ['deployments/scale'] }, { subresource: 'scale' }, true],
  [{ resources: ['deployments/scale'] }, {}, false],
  [{ resources: ['deployments/*'] }, { subresource: 'scale' }, true],
  [{ resources: ['*/scale'] }, { subresource: 'scale' }, true],
  [{ resources: ['*/scale'] }, { subresource: 'status' }, false],
  [{ resources: ['pods', '*/*'] }, { subresource: 'status' }, true],
  [{ resources: [] }, {}, false],
  [{ scope: 'Namespaced' }, {}, true],
  [{ scope: 'Cluster' }, {}, false],
])('a rule with %j and a request with %j: %j', (rule, more, expected) => {
  expect(matches(webhook(rule), request(more))).toBe(expected);
});

it('sees a Namespace as cluster-scoped', () => {
  expect(matches(webhook({ scope: 'Cluster' }), namespaceRequest())).toBe(true);
  expect(matches(webhook({ scope: 'Namespaced' }), namespaceRequest())).toBe(false);
});

it('matches a request under another version only with matchPolicy Equivalent', () => {
  const rule = { apiGroups: ['extensions'], resources: ['deployments'] };
  const found = matchWebhook(webhook(rule), request(), environment);
  expect(found).toEqual({ group: 'extensions', version: 'v1beta1', resource: 'deployments' });
  expect(matches(webhook(rule, { matchPolicy: 'Exact' }))).toBe(false);
});

it('matches the labels of the namespace, or of the object itself for a Namespace', () => {
  const prod = { namespaceSelector: { matchLabels: { env: 'prod' } } };
  const notProd = {
    namespaceSelector: { matchExpressions: [{ key: 'env', operator: 'NotIn' as const, values: ['prod'] }] },
  };
  expect(matches(webhook({}, prod))).toBe(true);
  expect(matches(webhook({}, notProd))).toBe(false);
  const created = namespaceRequest({ object: labelled({ env: 'prod' }) });
  expect(matches(webhook({}, prod), created)).toBe(true);
  expect(matches(webhook({}, notProd), created)).toBe(false);
  const deleted = namespaceRequest({ operation: 'DELETE', name: 'shop', object: undefined, oldObject: labelled({}) });
  expect(matches(webhook({}, prod), deleted)).toBe(true);
  const clusterWide = request({
    resource: { group: '', version: 'v1', resource: 'nodes' },
    namespaced: false,
    namespace: '',
  });
  expect(matches(webhook({}, prod), clusterWide)).toBe(true);
});

it('matches the labels of the old or the new object', () => {
  const hook = webhook({}, { objectSelector: { matchLabels: { app: 'a' } } });
  expect(matches(hook)).toBe(true);
  expect(matches(hook, request({ object: labelled({}), oldObject: labelled({ app: 'a' }) }))).toBe(true);
  expect(matches(hook, request({ object: labelled({}) }))).toBe(false);
  expect(matches(hook, request({ operation: 'DELETE', object: undefined, oldObject: labelled({ app: 'a' }) }))).toBe(
    true,
  );
});
