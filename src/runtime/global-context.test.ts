import { expect, it } from 'vitest';
import { silentLogger, systemClock } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import { createGlobalContext } from './global-context.ts';

const { signal } = new AbortController();

it('keeps a bounded number of entries, and another one in the place of one that is deleted', async () => {
  const objects = new Map<string, KubeObject>();
  let onDelete = (_: { readonly key: string }) => {};
  const informer = {
    hasSynced: true,
    settled: async () => {},
    get: (name: string) => objects.get(name),
    addHandler: (handler: { readonly onDelete: typeof onDelete }) => ({ onDelete } = handler),
  };
  const context = createGlobalContext({
    informers: { for: () => informer } as never,
    client: {} as never,
    discovery: {} as never,
    call: async () => 'data',
    maxObjects: 1,
    maxBytes: 1,
    clock: systemClock,
    log: silentLogger,
  });
  const stop = new AbortController();
  const running = context.run(stop.signal);
  for (let i = 0; i <= 100; i++)
    objects.set(`e${i}`, {
      apiVersion: 'kyverno.io/v2',
      kind: 'GlobalContextEntry',
      metadata: { name: `e${i}` },
      spec: { apiCall: { urlPath: '/x' } },
    });
  for (let i = 0; i < 100; i++) expect(await context.read(`e${i}`, '', signal)).toEqual({ value: 'data' });
  await expect(context.read('e100', '', signal)).rejects.toThrow('only 100 global context entries are kept');
  objects.delete('e0');
  onDelete({ key: 'e0' });
  expect(await context.read('e100', '', signal)).toEqual({ value: 'data' });
  stop.abort();
  await running;
});
