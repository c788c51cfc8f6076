import { expect, test } from 'vitest';
import { systemClock } from '../base/index.ts';
import type { DiscoveredType } from '../kube/index.ts';
import { compilePolicy } from '../policy/index.ts';
import { createPolicySet } from '../runtime/index.ts';
import type { AdmissionRequest } from '../webhook/index.ts';
import type { AdmittedRequest } from './outbox.ts';
import { createRuleTable } from './rule-table.ts';
import { createRequestListener } from './webhook.ts';

const type = (kind: string, namespaced: boolean): DiscoveredType => ({
  group: '',
  version: 'v1',
  kind,
  resource: `${kind.toLowerCase()}s`,
  namespaced,
  singular: '',
  shortNames: [],
  categories: [],
  verbs: ['get', 'list', 'watch', 'create'],
  subresources: [],
  isPreferredVersion: true,
});
const types = [type('ConfigMap', true), type('Gadget', false)];

/** Only a request says who deletes something. */
const program = (name: string, namespace?: string) =>
  compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: namespace === undefined ? 'ClusterPolicy' : 'Policy',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: {
      background: false,
      rules: [
        {
          name: 'r',
          match: { any: [{ resources: { kinds: ['ConfigMap', 'Gadget'], operations: ['DELETE'] } }] },
          generate: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', namespace: namespace ?? 'y', data: {} },
        },
      ],
    },
  }).program!;

test('namespaced policies receive requests of their namespace only, and act on those', async () => {
  const programs = [program('cluster'), program('own', 'shop'), program('own', 'bank')];
  const collected: AdmittedRequest[] = [];
  const { registration, reviewer } = createRequestListener({
    table: () => createRuleTable(programs, types),
    discovery: { list: async () => types, byResource: async () => types[0] },
    policies: { current: createPolicySet(programs) } as never,
    namespaces: { hasSynced: true, labels: () => ({}), fetchLabels: async () => ({}) },
    roles: { of: async () => ({ roles: [], clusterRoles: [] }) },
    clock: systemClock,
    trustsReviews: false,
    collect: async (request) => {
      collected.push(request);
    },
  });
  const { signal } = new AbortController();
  const entries = await registration.entries(signal);
  expect(
    entries.map(({ name, path, namespace, rules }) => [
      name,
      path,
      namespace,
      rules.flatMap(({ resources, scope }) => [...resources, scope]),
    ]),
  ).toEqual([
    ['bank.namespace.generate', '/generate/bank', 'bank', ['configmaps', 'Namespaced']],
    ['generate', '/generate', undefined, ['configmaps', 'gadgets', '*']],
    ['shop.namespace.generate', '/generate/shop', 'shop', ['configmaps', 'Namespaced']],
  ]);
  const request: AdmissionRequest = {
    uid: 'u',
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    subResource: '',
    name: 'a',
    namespace: 'shop',
    operation: 'DELETE',
    userInfo: { username: 'ann', groups: [] },
    object: undefined,
    oldObject: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } },
    dryRun: false,
  };
  for (const route of ['', 'shop']) await reviewer.review(request, { route, authenticated: false, bytes: 1, signal });
  expect(collected.map(({ policyNamespace }) => policyNamespace)).toEqual([undefined, 'shop']);
});

test('a policy is registered when the API server sends the requests that its rules need', async () => {
  const [first, second] = [program('first'), program('second')];
  let programs = [first];
  const { registration, registrations } = createRequestListener({
    table: () => createRuleTable(programs, types),
    discovery: { list: async () => types, byResource: async () => types[0] },
    policies: {
      get current() {
        return createPolicySet(programs);
      },
    } as never,
    namespaces: { hasSynced: true, labels: () => ({}), fetchLabels: async () => ({}) },
    roles: { of: async () => ({ roles: [], clusterRoles: [] }) },
    clock: systemClock,
    trustsReviews: false,
    collect: async () => {},
  });
  const calls: boolean[] = [];
  const stop = registrations.subscribe(() => calls.push(registrations.isRegistered(second)));
  const { signal } = new AbortController();
  await registration.entries(signal);
  expect(registrations.isRegistered(first)).toBe(false);
  programs = [first, second];
  registration.onRegistered?.([], []);
  expect(registrations.isRegistered(first)).toBe(true);
  registration.onRegistered?.(await registration.entries(signal), []);
  expect(calls).toEqual([false, true]);
  stop();
});
