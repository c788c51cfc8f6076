import { expect, test } from 'vitest';
import { KubeError } from '../kube/index.ts';
import { createCustomSchemas } from './custom-schemas.ts';

const schema = { type: 'object', properties: { spec: { type: 'object' } } };
const versions = [{ name: 'v1', schema: { openAPIV3Schema: schema } }];

function setUp(get: (name: string) => Promise<unknown>) {
  const asked: string[] = [];
  let now = 0;
  const schemas = createCustomSchemas({
    client: {
      get: async (_: unknown, { name }: { name: string }) => {
        asked.push(name);
        return get(name);
      },
    } as never,
    discovery: {
      byKind: async ({ group, version, kind }: { group: string; version: string; kind: string }) =>
        group === 'nobody.example' ? undefined : { group, version, kind, resource: `${kind.toLowerCase()}s` },
    } as never,
    clock: { now: () => now } as never,
    timeoutMs: 1_000,
  });
  const { signal } = new AbortController();
  return {
    asked,
    wait: (ms: number) => {
      now += ms;
    },
    ask: (apiVersion: string) => schemas.schemaOf(apiVersion, 'Widget', signal),
  };
}

test('the schema of a version is that of its definition, read once for requests that come together', async () => {
  const { ask, asked, wait } = setUp(async () => ({ spec: { versions } }));
  expect(await Promise.all([ask('example.com/v1'), ask('example.com/v1')])).toEqual([schema, schema]);
  expect(await ask('example.com/v2')).toBeNull();
  expect(asked).toEqual(['widgets.example.com', 'widgets.example.com']);
  wait(60_000);
  await ask('example.com/v1');
  expect(asked).toHaveLength(3);
});

test('kinds that are not served and aggregated ones have none', async () => {
  const { ask, asked } = setUp(() => Promise.reject(notFound()));
  expect(await ask('nobody.example/v1')).toBeNull();
  expect(asked).toEqual([]);
  expect(await ask('metrics.example/v1')).toBeNull();
});

test('what failed is tried again', async () => {
  let fails = true;
  const { ask } = setUp(async () => {
    if (fails) throw new Error('unreachable');
    return { spec: { versions } };
  });
  await expect(ask('example.com/v1')).rejects.toThrow('unreachable');
  fails = false;
  expect(await ask('example.com/v1')).toEqual(schema);
});

const notFound = () => new KubeError('kube-not-found', 'not found', { method: 'GET', path: '/' });
