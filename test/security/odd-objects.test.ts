import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInformer, createKubeClient, loadClusterConfig } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

/** 300 in CI; SUPERCARGO_FUZZ_OBJECTS=10000 by hand. */
const count = Number(process.env['SUPERCARGO_FUZZ_OBJECTS'] ?? 300);
const configMaps = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
});
afterAll(() => cluster.stop());

const key = fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a', 'b.c');
const data = fc.dictionary(key, fc.string({ unit: 'binary', maxLength: 200 }), { noNullPrototype: true });

test('objects with any key and text pass through the watch, and an ordinary one after them', async () => {
  const client = createKubeClient(await loadClusterConfig({ env: {}, path: cluster.kubeconfigPath }));
  const stop = new AbortController();
  const informer = createInformer<KubeObject>({ client, type: configMaps, namespace: 'default' });
  const running = informer.run(stop.signal);
  const stored = (name: string, fields: Readonly<Record<string, string>>) =>
    client.create<KubeObject>(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default' },
      data: fields,
    });
  try {
    await informer.synced();
    const given = fc.sample(data, count);
    for (const [i, fields] of given.entries()) {
      const created = await stored(`odd-${i}`, fields);
      expect(Object.keys((created['data'] as object | undefined) ?? {}).sort()).toEqual(Object.keys(fields).sort());
    }
    await stored('ordinary', { a: 'b' });
    await eventually(() => expect(informer.get('default/ordinary')).toBeDefined());
    expect(given.every((_, i) => informer.get(`default/odd-${i}`) !== undefined)).toBe(true);
  } finally {
    stop.abort();
    await running;
    await client.close();
  }
}, 60_000);
