import { expect, it } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import { createNamespaceObjects } from './namespace-objects.ts';

const { signal } = new AbortController();

function setUp(maxBytes?: number) {
  const stored = new Map<string, KubeObject>();
  const watched = new Map<string, string>();
  const asked: string[] = [];
  const { get: read, stored: kept } = createNamespaceObjects({
    client: {
      list: async (_: unknown, { fieldSelector = '' }: { readonly fieldSelector?: string } = {}) => {
        const name = fieldSelector.replace('metadata.name=', '');
        asked.push(name);
        const found = stored.get(name);
        return { resourceVersion: '9', items: found ? [found] : [] };
      },
    } as never,
    versionOf: (name) => watched.get(name),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const store = (name: string, version: string, annotations: Readonly<Record<string, string>>) =>
    stored.set(name, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, resourceVersion: version, annotations, managedFields: [{ manager: 'kubectl' }] },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    } as never);
  return { read, kept, store, watched, asked };
}

it('reads a namespace once for each version that the watch has', async () => {
  const { read, kept, store, watched, asked } = setUp();
  store('shop', '1', { tier: 'gold' });
  watched.set('shop', '1');
  const first = await read('shop', signal);
  expect(first).toEqual({
    metadata: { name: 'shop', resourceVersion: '1', annotations: { tier: 'gold' } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
  expect(await read('shop', signal)).toBe(first);
  expect(kept('shop')).toBe(first);
  expect(asked).toEqual(['shop']);
  store('shop', '2', {});
  watched.set('shop', '2');
  expect(kept('shop')).toBeUndefined();
  expect(await read('shop', signal)).toMatchObject({ metadata: { annotations: {} } });
  expect(asked).toEqual(['shop', 'shop']);
});

it('keeps none that no watch has, and none that is too large', async () => {
  const { read, store, watched, asked } = setUp(100);
  store('shop', '1', {});
  store('large', '1', { a: 'a'.repeat(100) });
  watched.set('large', '1');
  for (const name of ['shop', 'shop', 'large', 'large']) expect(await read(name, signal)).toBeTruthy();
  expect(asked).toEqual(['shop', 'shop', 'large', 'large']);
  expect(await read('none', signal)).toBeNull();
});
