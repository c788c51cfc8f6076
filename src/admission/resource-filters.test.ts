import { describe, expect, it } from 'vitest';
import { UsageError } from '../base/index.ts';
import { defaultResourceFilters, parseResourceFilters } from './resource-filters.ts';

const kind = (name: string) => ({ group: '', version: 'v1', kind: name });

describe('resource filters', () => {
  it.each([
    ['Event', '', 'shop', 'x', true],
    ['ConfigMap', '', 'kube-system', 'x', true],
    ['ConfigMap', '', 'shop', 'x', false],
    ['Node', 'status', '', 'n', true],
    ['Pod', 'binding', 'shop', 'p', true],
    ['Pod', 'status', 'shop', 'p', false],
  ])('by default leave out %s/%s in %s: %j', (name, subresource, namespace, object, expected) => {
    expect(parseResourceFilters(defaultResourceFilters).excludes(kind(name), subresource, namespace, object)).toBe(
      expected,
    );
  });

  it('may follow each other in one text, with wildcards in every part', () => {
    const filters = parseResourceFilters(['[ConfigMap,shop-*,a?][Secret,,]']);
    expect(filters.excludes(kind('ConfigMap'), '', 'shop-1', 'ab')).toBe(true);
    expect(filters.excludes(kind('ConfigMap'), '', 'shop-1', 'abc')).toBe(false);
    expect(filters.excludesKind(kind('Secret'), '')).toBe(true);
    expect(filters.excludesKind(kind('ConfigMap'), '')).toBe(false);
  });

  it('list the namespaces that are excluded completely', () => {
    expect(parseResourceFilters(defaultResourceFilters).namespaces).toEqual([
      'kube-system',
      'kube-public',
      'kube-node-lease',
    ]);
  });

  it.each(['Pod', '[a,b,c', '[a,b,c,d]', '[,x,y]', '[a,b,c]!'])('reject %j', (text) => {
    expect(() => parseResourceFilters([text])).toThrow(UsageError);
  });
});
