import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/index.ts';
import { KubeError } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { OnceMarkers, onceMarker } from './once-markers.ts';

const error = (code: 'kube-not-found' | 'kube-already-exists') => new KubeError(code, code, { method: '', path: '' });

/** ConfigMaps that take merge patches. */
function server() {
  const maps = new Map<string, Record<string, string>>();
  const client = {
    async get(_: unknown, { name }: { readonly name: string }) {
      const data = maps.get(name);
      if (!data) throw error('kube-not-found');
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { ...data } } as never;
    },
    async create(_: unknown, object: unknown) {
      const name = (object as KubeObject).metadata.name ?? '';
      if (maps.has(name)) throw error('kube-already-exists');
      maps.set(name, {});
      return object as never;
    },
    async patch(_: unknown, { name }: { readonly name: string }, { body }: { readonly body: unknown }) {
      const data = maps.get(name);
      if (!data) throw error('kube-not-found');
      for (const [key, value] of Object.entries((body as { readonly data: Record<string, string | null> }).data)) {
        if (value === null) delete data[key];
        else data[key] = value;
      }
      return {} as never;
    },
  };
  const open = () => new OnceMarkers({ client, namespace: 'ours', installation: 'supercargo', clock: systemClock });
  return { maps, open };
}

const { signal } = new AbortController();

describe('markers of what was created once', () => {
  it('are found by the next process, for that policy, rule and text only', async () => {
    const { open, maps } = server();
    const [first, second] = [open(), open()];
    const marker = onceMarker('p', 'r', 'sha256:abc');
    expect(await second.has(onceMarker('p', 'r', 'other'), signal)).toBe(false);
    expect(await first.has(marker, signal)).toBe(false);
    await first.add(marker, signal);
    expect(await first.has(marker, signal)).toBe(true);
    expect(await open().has(marker, signal)).toBe(true);
    for (const other of [
      onceMarker('q', 'r', 'sha256:abc'),
      onceMarker('p', 's', 'sha256:abc'),
      onceMarker('p', 'r', 'sha256:abd'),
    ])
      expect(await open().has(other, signal)).toBe(false);
    expect([...maps.keys()].every((name) => /^supercargo-once-\d\d$/.test(name))).toBe(true);
  });

  it('of two simultaneous leaders are both kept', async () => {
    const { open } = server();
    const [first, second] = [open(), open()];
    const markers = Array.from({ length: 200 }, (_, i) => onceMarker('p', 'r', String(i)));
    await Promise.all(markers.map((marker, i) => (i % 2 ? first : second).add(marker, signal)));
    const reader = open();
    for (const marker of markers) expect(await reader.has(marker, signal)).toBe(true);
  });

  it('are bounded: the oldest of a full ConfigMap is dropped', async () => {
    const { open, maps } = server();
    const marker = onceMarker('p', 'r', 'newest');
    const name = `supercargo-once-${(Number.parseInt(marker.slice(0, 2), 16) % 64).toString().padStart(2, '0')}`;
    maps.set(name, Object.fromEntries(Array.from({ length: 8_000 }, (_, i) => [`old-${i}`, String(1_000 + i)])));
    await open().add(marker, signal);
    const data = maps.get(name)!;
    expect(Object.keys(data)).toHaveLength(8_000);
    expect(data['old-0']).toBeUndefined();
    expect(data['old-1']).toBe('1001');
    expect(Object.keys(data)).toContain(marker);
  });
});
