import { describe, expect, test } from 'vitest';
import { silentLogger } from '../base/index.ts';
import { type KubeClient, KubeError, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { type Downstream, DownstreamIndex } from './downstream-index.ts';
import { withOrigin } from './origin.ts';

const secrets: ResourceType = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };

/** A server without objects, which refuses lists until it is switched. */
function server() {
  const rights = { mayList: false };
  const client = {
    async *pages() {
      if (!rights.mayList)
        throw new KubeError('kube-forbidden', 'no (403)', { method: 'GET', path: '/api/v1/secrets', status: 403 });
      yield { items: [], resourceVersion: '7', serverTimeMs: 0 };
    },
    async *watch(_: ResourceType, { signal }: { signal: AbortSignal }) {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  } as unknown as KubeClient;
  return { client, rights };
}

describe('synchronized objects of a kind that must not be listed', () => {
  test('fail the work that needs them at once, and are watched when the permission is granted', async () => {
    const { client, rights } = server();
    const stop = new AbortController();
    const index = new DownstreamIndex(
      { client, installation: 'mine', log: silentLogger, onChange: () => {} },
      stop.signal,
    );
    const missing = "missing permission: cannot list secrets; allow it to Supercargo's service account";
    for (let i = 0; i < 10; i++) await expect(index.follow(secrets, '3')).rejects.toThrow(missing);
    // The version to resume from is kept meanwhile.
    expect(index.positions()).toEqual({ 'v1/secrets': { type: secrets, resourceVersion: '3' } });
    rights.mayList = true;
    await expect.poll(() => index.positions(), { timeout: 10_000 }).toEqual({});
    stop.abort();
    await index.stopped();
  });
});

test('objects of a kind that no checkpoint names are reported once they are listed', async () => {
  const origin = {
    policy: 'p',
    rule: 'r',
    operation: 'CREATE',
    synchronize: true,
    trigger: { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'shop', uid: 't' },
  } as const;
  const made: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'shop', uid: 'u' } };
  const found = withOrigin(made, { installation: 'mine', origin });
  const client = {
    async *pages() {
      yield { items: [found], resourceVersion: '7', serverTimeMs: 0 };
    },
    async *watch(_: ResourceType, { signal }: { signal: AbortSignal }) {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  } as unknown as KubeClient;
  const stop = new AbortController();
  const changed: string[] = [];
  const onChange = ({ object }: Downstream, isRemoved: boolean) => changed.push(`${object.metadata.name} ${isRemoved}`);
  const index = new DownstreamIndex({ client, installation: 'mine', log: silentLogger, onChange }, stop.signal);
  await index.whenReady(secrets);
  await index.whenReady(secrets);
  expect(changed).toEqual(['a false']);
  expect(index.positions()).toEqual({ 'v1/secrets': { type: secrets, resourceVersion: '7' } });
  stop.abort();
  await index.stopped();
});

test('a kind that is generated has a position before its first object is seen', async () => {
  const { client, rights } = server();
  rights.mayList = true;
  const stop = new AbortController();
  const options = { client, installation: 'mine', log: silentLogger, onChange: () => {} };
  const index = new DownstreamIndex(options, stop.signal);
  await index.whenReady(secrets);
  expect(index.positions()).toEqual({});
  await index.follow(secrets);
  const position = { 'v1/secrets': { type: secrets, resourceVersion: '7' } };
  expect([index.positions(), index.firstPositions()]).toEqual([position, position]);
  stop.abort();
  await index.stopped();
});
