import { expect, test } from 'vitest';
import { silentLogger } from '../base/index.ts';
import type { InformerHandler } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { createLivePolicies, parsePolicyKey, policyTypes } from './live-policies.ts';

const exception = (metadata: object): KubeObject => ({
  apiVersion: 'kyverno.io/v2',
  kind: 'PolicyException',
  metadata: { name: 'e', namespace: 'shop', generation: 1, ...metadata },
  spec: {
    exceptions: [{ policyName: 'p', ruleNames: ['*'] }],
    match: { any: [{ resources: { kinds: ['ConfigMap'] } }] },
  },
});

test('an exception under deletion does not apply, even with finalizers', () => {
  const handlers = new Map<string, InformerHandler<KubeObject>>();
  const informers = {
    for: ({ kind }: { readonly kind: string }) => ({
      hasSynced: true,
      addHandler: (handler: InformerHandler<KubeObject>) => void handlers.set(kind, handler),
    }),
  };
  const policies = createLivePolicies({ informers: informers as never, log: silentLogger });
  const { onAdd, onUpdate } = handlers.get(policyTypes.exception.kind)!;
  const stored = exception({});
  onAdd?.({ stored, isInitial: true } as never);
  expect(policies.current.exceptions).toHaveLength(1);
  onUpdate?.({ stored: exception({ deletionTimestamp: 'now', finalizers: ['x'] }), previous: stored } as never);
  expect(policies.current.exceptions).toEqual([]);
});

test('the key of a policy names its kind, and its namespace where it has one', () => {
  const parsed = (key: string) => {
    const { type, namespace, name } = parsePolicyKey(key) ?? {};
    return type && [type.kind, namespace, name];
  };
  expect(parsed('p')).toEqual(['ClusterPolicy', undefined, 'p']);
  expect(parsed('shop/p')).toEqual(['Policy', 'shop', 'p']);
  expect(parsed('GeneratingPolicy/p')).toEqual(['GeneratingPolicy', undefined, 'p']);
  expect(parsed('NamespacedGeneratingPolicy/shop/p')).toEqual(['NamespacedGeneratingPolicy', 'shop', 'p']);
  for (const key of [
    '',
    '/p',
    'shop/',
    'a/b/c',
    'GeneratingPolicy',
    'GeneratingPolicy/shop/p',
    'NamespacedGeneratingPolicy/p',
  ])
    expect(parsed(key), key).toBeUndefined();
});
