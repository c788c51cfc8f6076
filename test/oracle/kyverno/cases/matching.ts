import type { JsonObject } from '../../../../src/base/index.ts';
import { pod, policy, widget } from '../build.ts';
import type { PolicyCase } from '../case.ts';

const filters: readonly JsonObject[] = [
  { resources: { kinds: ['Pod'] } },
  { resources: { kinds: ['*'] } },
  { resources: { kinds: ['v1/Pod'] } },
  { resources: { kinds: ['*/Pod'] } },
  { resources: { kinds: ['apps/v1/Deployment'] } },
  { resources: { kinds: ['apps/*/Deployment'] } },
  { resources: { kinds: ['*/*'] } },
  { resources: { kinds: ['*/v1/*'] } },
  { resources: { kinds: ['example.com/*/*'] } },
  { resources: { kinds: ['Pod/exec'] } },
  { resources: { kinds: ['Pod.exec'] } },
  { resources: { kinds: ['P*'] } },
  { resources: { kinds: ['pod'] } },
  { resources: { kinds: ['Widget', 'Namespace'] } },
  { resources: { kinds: ['Pod'], name: 'a*' } },
  { resources: { kinds: ['Pod'], names: ['a', 'b*'] } },
  { resources: { kinds: ['Pod'], namespaces: ['team-*', 'x'] } },
  { resources: { kinds: ['Pod'], namespaces: ['default'] } },
  { resources: { kinds: ['Namespace'], names: ['team-a'] } },
  { resources: { kinds: ['Namespace'], namespaces: ['team-a'] } },
  { resources: { kinds: ['Pod', 'Namespace'], namespaceSelector: { matchLabels: { env: 'prod' } } } },
  {
    resources: {
      kinds: ['Pod'],
      namespaceSelector: { matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['prod'] }] },
    },
  },
  { resources: { kinds: ['Pod', 'Widget'], selector: { matchLabels: { app: 'x' } } } },
  { resources: { kinds: ['Pod', 'Widget'], selector: { matchLabels: { app: '*' } } } },
  { resources: { kinds: ['Pod', 'Widget'], selector: { matchLabels: { 'ap*': 'x' } } } },
  { resources: { kinds: ['Pod'], selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } } },
  { resources: { kinds: ['Pod'], selector: { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] } } },
  {
    resources: {
      kinds: ['Pod'],
      selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['x', 'y*'] }] },
    },
  },
  { resources: { kinds: ['Pod'], selector: {} } },
  { resources: { kinds: ['Pod'], annotations: { note: 'y*' } } },
  { resources: { kinds: ['Pod'], annotations: { 'no*': 'yes' } } },
  { resources: { kinds: ['Pod'], operations: ['CREATE'] } },
  { resources: { kinds: ['Pod'], operations: ['UPDATE', 'DELETE'] } },
  { resources: { kinds: ['Pod'] }, subjects: [{ kind: 'User', name: 'alice' }] },
  { resources: { kinds: ['Pod'] }, subjects: [{ kind: 'User', name: 'a*' }] },
  { resources: { kinds: ['Pod'] }, subjects: [{ kind: 'Group', name: 'dev*' }] },
  { resources: { kinds: ['Pod'] }, subjects: [{ kind: 'ServiceAccount', name: 'sa', namespace: 'ns' }] },
  { resources: { kinds: ['Pod'] }, roles: ['ns:r*'] },
  { resources: { kinds: ['Pod'] }, clusterRoles: ['cluster-admin'] },
  { resources: { kinds: ['Pod'] }, clusterRoles: ['view'], subjects: [{ kind: 'User', name: 'alice' }] },
  { resources: { names: ['a'] } },
  { resources: { namespaces: ['team-a'] } },
  { resources: { selector: { matchLabels: { app: 'x' } } } },
  { subjects: [{ kind: 'User', name: 'alice' }] },
  { clusterRoles: ['view'] },
];

const bare = (name: string, metadata: JsonObject = {}) =>
  pod(name, { containers: [{ name: 'c', image: 'i' }] }, metadata);
const resources: readonly JsonObject[] = [
  bare('a'),
  bare('b1', { namespace: 'team-a', labels: { app: 'x' }, annotations: { note: 'yes' } }),
  bare('c', { namespace: 'team-b', labels: { app: 'y', apple: 'x' }, annotations: { note: 'no' } }),
  bare('d', { namespace: 'x', labels: { tier: 'x' } }),
  widget('a', {}, { labels: { app: 'x' } }),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a', labels: { env: 'prod', app: 'x' } } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plain' } },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'team-a' },
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  },
];

const values: JsonObject = {
  namespaceSelector: [
    { name: 'team-a', labels: { env: 'prod' } },
    { name: 'team-b', labels: { env: 'dev' } },
  ],
};
const users: readonly (JsonObject | undefined)[] = [
  undefined,
  {
    userInfo: { username: 'alice', groups: ['devs', 'system:authenticated'] },
    clusterRoles: ['view'],
    roles: ['ns:reader'],
  },
  {
    userInfo: { username: 'system:serviceaccount:ns:sa', groups: ['system:serviceaccounts'] },
    clusterRoles: ['cluster-admin'],
  },
];

const deny = { validate: { message: 'no', deny: {} } };
const off = (written: JsonObject): JsonObject => ({
  ...written,
  metadata: {
    ...(written['metadata'] as JsonObject),
    annotations: { 'pod-policies.kyverno.io/autogen-controllers': 'none' },
  },
});
const of = (name: string, parts: JsonObject, more: Partial<PolicyCase> = {}): PolicyCase => ({
  name,
  policies: [off(policy('matching', [{ name: 'r', ...parts, ...deny }], { background: false }))],
  resources,
  values,
  ...more,
});
const pods = { any: [{ resources: { kinds: ['Pod', 'Namespace', 'Deployment', 'Widget'] } }] };
const another = (i: number) => filters[(i * 11 + 4) % filters.length]!;

/** Filters in match and exclude, by themselves, of two, for several users and operations. */
export const matchingCases: readonly PolicyCase[] = [
  ...filters.flatMap((filter) =>
    users.map((userInfo, i) =>
      of(`match ${i} ${JSON.stringify(filter)}`, { match: { any: [filter] } }, userInfo ? { userInfo } : {}),
    ),
  ),
  ...filters.map((filter) =>
    of(`match directly ${JSON.stringify(filter)}`, { match: filter }, { userInfo: users[1]! }),
  ),
  ...filters.map((filter) =>
    of(`exclude ${JSON.stringify(filter)}`, { match: pods, exclude: { any: [filter] } }, { userInfo: users[1]! }),
  ),
  ...filters.map((filter) =>
    of(`exclude directly ${JSON.stringify(filter)}`, { match: pods, exclude: filter }, { userInfo: users[1]! }),
  ),
  ...filters.map((filter, i) => of(`all ${i}`, { match: { all: [filter, another(i)] } }, { userInfo: users[1]! })),
  ...filters.map((filter, i) => of(`any ${i}`, { match: { any: [filter, another(i)] } }, { userInfo: users[1]! })),
  ...filters.map((filter, i) =>
    of(`exclude all ${i}`, { match: pods, exclude: { all: [filter, another(i)] } }, { userInfo: users[1]! }),
  ),
  ...['CREATE', 'UPDATE', 'DELETE', 'CONNECT'].flatMap((operation) =>
    filters
      .slice(31, 33)
      .map((filter) =>
        of(
          `${operation} ${JSON.stringify(filter)}`,
          { match: { any: [filter] } },
          { values: { ...values, globalValues: { 'request.operation': operation } } },
        ),
      ),
  ),
  ...filters.map((filter) => ({
    ...of(`namespaced ${JSON.stringify(filter)}`, { match: { any: [filter] } }, { userInfo: users[1]! }),
    policies: [
      {
        ...off(policy('matching', [{ name: 'r', match: { any: [filter] }, ...deny }], { background: false })),
        kind: 'Policy',
        metadata: {
          name: 'matching',
          namespace: 'team-a',
          annotations: { 'pod-policies.kyverno.io/autogen-controllers': 'none' },
        },
      },
    ],
  })),
];
