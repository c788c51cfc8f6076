import { expect, test } from 'vitest';
import { narrowWebhooks, type RenderedWebhook } from './narrow.ts';
import type { WebhookRule } from './reviewer.ts';

const webhook = (
  name: string,
  resources: readonly string[],
  operations = ['CREATE'],
  scope: WebhookRule['scope'] = '*',
) =>
  ({
    name,
    rules: [{ operations, apiGroups: [''], apiVersions: ['v1'], resources, scope }],
  }) satisfies RenderedWebhook;

test('nothing is added while nothing is reached', () => {
  expect(narrowWebhooks([webhook('a', ['pods'])], undefined)).toEqual([]);
  expect(narrowWebhooks([webhook('a', ['pods']), webhook('b', ['pods'])], [webhook('a', ['pods'])])).toEqual([
    webhook('a', ['pods']),
  ]);
});

test('a webhook gets fewer rules or none, and never more', () => {
  const present = [webhook('a', ['pods', 'services'], ['CREATE', 'UPDATE'])];
  expect(narrowWebhooks([], present)).toEqual([]);
  expect(narrowWebhooks([webhook('a', ['pods'])], present)).toEqual([webhook('a', ['pods'])]);
  expect(narrowWebhooks([webhook('a', ['secrets', 'pods'])], present)).toEqual([webhook('a', ['pods'])]);
  expect(narrowWebhooks([webhook('a', ['secrets'])], present)).toEqual([]);
  expect(narrowWebhooks([webhook('a', ['pods'], ['DELETE'])], present)).toEqual([]);
  expect(narrowWebhooks(present, present)).toEqual(present);
});

test('wildcards stand for what they match: subresources only where they are named', () => {
  const narrowed = (wanted: string, before: string) =>
    narrowWebhooks([webhook('a', [wanted])], [webhook('a', [before])])[0]?.rules?.[0]?.resources;
  expect(narrowed('pods', '*')).toEqual(['pods']);
  expect(narrowed('*', 'pods')).toEqual(['pods']);
  expect(narrowed('pods/exec', '*')).toBeUndefined();
  expect(narrowed('pods/exec', '*/*')).toEqual(['pods/exec']);
  expect(narrowed('pods/*', 'pods/exec')).toEqual(['pods/exec']);
  expect(narrowed('*/scale', 'pods/exec')).toBeUndefined();
});

test('the scope is that of both', () => {
  const scoped = (scope: '*' | 'Cluster' | 'Namespaced') => [webhook('a', ['*'], ['CREATE'], scope)];
  expect(narrowWebhooks(scoped('*'), scoped('Cluster'))).toEqual(scoped('Cluster'));
  expect(narrowWebhooks(scoped('Namespaced'), scoped('*'))).toEqual(scoped('Namespaced'));
  expect(narrowWebhooks(scoped('Namespaced'), scoped('Cluster'))).toEqual([]);
});

test('the other fields stay as they are, so that a selector gets no wider', () => {
  const present = [{ ...webhook('a', ['pods', 'services']), namespaceSelector: { matchLabels: { a: 'b' } } }];
  const wanted = [{ ...webhook('a', ['pods']), namespaceSelector: {} }];
  expect(narrowWebhooks(wanted, present)).toEqual([{ ...present[0], rules: wanted[0]!.rules }]);
});
