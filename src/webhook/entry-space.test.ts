import { expect, test } from 'vitest';
import { fitEntries } from './entry-space.ts';
import type { WebhookEntry } from './reviewer.ts';

const entry = (name: string, namespace?: string): WebhookEntry => ({
  name,
  namespace,
  path: '/',
  rules: [],
  failurePolicy: 'Fail',
  timeoutSeconds: 1,
});
/** `a:10` is an entry of namespace a with ten bytes, `:10` one of a ClusterPolicy. */
const fitted = (texts: readonly string[], maxBytes: number) => {
  const entries = texts.map((text) => entry(text, text.split(':')[0] || undefined));
  const { fitting, tooLarge } = fitEntries(entries, ({ name }) => Number(name.split(':')[1]), maxBytes);
  return [fitting.map(({ name }) => name), tooLarge.map((refused) => refused.entry.name)];
};

test('entries that fit are unchanged', () => {
  expect(fitted([':50', 'b:20', 'a:30'], 100)).toEqual([[':50', 'b:20', 'a:30'], []]);
});

test('a namespace that exceeds its share loses only its own entries', () => {
  expect(fitted(['a:900', ':50', 'b:20', 'a:10'], 100)).toEqual([[':50', 'b:20', 'a:10'], ['a:900']]);
  const many = Array.from({ length: 100 }, () => 'a:10');
  const [fitting, tooLarge] = fitted([...many, 'b:200', 'c:100', ':100'], 800);
  expect(fitting!.filter((name) => name === 'a:10')).toHaveLength(40);
  expect(fitting!.slice(-3)).toEqual(['b:200', 'c:100', ':100']);
  expect(new Set(tooLarge)).toEqual(new Set(['a:10']));
});

test('entries of ClusterPolicies are never dropped', () => {
  expect(fitted(['a:1', ':200', 'b:1'], 100)).toEqual([[':200'], ['a:1', 'b:1']]);
});
