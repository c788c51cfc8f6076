import { expect, test } from 'vitest';
import { renderConfiguration } from './configuration.ts';
import type { WebhookEntry } from './reviewer.ts';

const entry: WebhookEntry = { name: 'x', path: '/x', rules: [], failurePolicy: 'Fail', timeoutSeconds: 5 };
const nameLabel = 'kubernetes.io/metadata.name';
const exempt = { key: nameLabel, operator: 'NotIn', values: ['kube-system'] };
const selectorOf = (given: Partial<WebhookEntry>, namespaceSelector?: object) => {
  const options = { installation: 'i', address: { url: 'https://h' }, bundle: '', exemptNamespaces: ['kube-system'] };
  const rendered = renderConfiguration(
    { name: 'n', type: 'validating' },
    [{ ...entry, ...given }],
    namespaceSelector ? { ...options, namespaceSelector } : options,
  );
  return (rendered['webhooks'] as readonly { readonly namespaceSelector: unknown }[])[0]!.namespaceSelector;
};

test('an entry of a namespace covers only that namespace, and never an exempt one', () => {
  const only = { key: nameLabel, operator: 'In', values: ['shop'] };
  expect(selectorOf({ namespace: 'shop' })).toEqual({ matchExpressions: [only, exempt] });
});

test("an entry never widens the administrator's selector", () => {
  const administrator = { matchLabels: { stage: 'prod' } };
  expect(selectorOf({ namespaceSelector: { matchLabels: { stage: 'dev', a: 'b' } } }, administrator)).toEqual({
    matchLabels: { stage: 'prod', a: 'b' },
    matchExpressions: [{ key: 'stage', operator: 'In', values: ['dev'] }, exempt],
  });
});

test('an entry has the settings of its policies, and those of classic policies otherwise', () => {
  const options = { installation: 'i', address: { url: 'https://h' }, bundle: '', exemptNamespaces: [] };
  const own = { ...entry, matchPolicy: 'Exact', reinvocationPolicy: 'Never' } as const;
  const webhooks = (type: 'mutating' | 'validating') =>
    renderConfiguration({ name: 'n', type }, [entry, own], options)['webhooks'] as readonly object[];
  expect(webhooks('mutating')).toMatchObject([
    { matchPolicy: 'Equivalent', reinvocationPolicy: 'IfNeeded' },
    { matchPolicy: 'Exact', reinvocationPolicy: 'Never' },
  ]);
  const [, validating] = webhooks('validating');
  expect(validating).toMatchObject({ matchPolicy: 'Exact' });
  expect(validating).not.toHaveProperty('reinvocationPolicy');
});
