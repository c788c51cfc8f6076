import { expect, it } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { StatusError } from '../status.ts';
import { Store } from '../store/index.ts';
import { type ListRequest, type ListResult, listEntries } from './list.ts';

const storage = '/configmaps';
// Lists look at these parts of a definition alone.
const definition = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  storage,
  namespaced: true,
  custom: false,
} as ResourceDefinition;
const everything: ListRequest = {
  namespace: '',
  labelSelector: '',
  fieldSelector: '',
  limit: 0,
  continue: '',
  resourceVersion: '',
  resourceVersionMatch: '',
};

const object = (namespace: string, name: string, labels: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
});
const put = (store: Store, key: string, labels = {}) => {
  const [namespace, name] = key.split('/') as [string, string];
  store.put(storage, key, object(namespace, name, labels));
};
const remove = (store: Store, key: string) => store.remove(storage, key, store.collection(storage).get(key)!.object);
const list = (store: Store, request: Partial<ListRequest> = {}) =>
  listEntries(store, definition, { ...everything, ...request });
const keys = ({ entries }: ListResult) =>
  entries.map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`);
const refusal = (attempt: () => unknown): StatusError['status'] => {
  try {
    attempt();
  } catch (thrown) {
    if (thrown instanceof StatusError) return thrown.status;
    throw thrown;
  }
  throw new Error('it was not refused');
};

const names = ['a/1', 'a/2', 'a/3', 'b-c/1', 'b/1', 'b/2'];
const filled = () => {
  const store = new Store();
  for (const [index, key] of names.entries()) put(store, key, { odd: String(index % 2) });
  return store;
};

function pages(store: Store, request: Partial<ListRequest>, between = () => {}): ListResult[] {
  const all: ListResult[] = [];
  for (let token: string | undefined; token !== ''; token = all.at(-1)!.continue) {
    all.push(list(store, { ...request, continue: token ?? '' }));
    between();
  }
  return all;
}

it('lists all objects once in pages of any size', () => {
  const store = filled();
  for (let limit = 1; limit <= names.length + 1; limit++) {
    const result = pages(store, { limit });
    expect(result.flatMap(keys)).toEqual(names);
    expect(result).toHaveLength(Math.ceil(names.length / limit));
    const left = result
      .map((_, page) => names.length - limit * (page + 1))
      .map((count) => (count > 0 ? count : undefined));
    expect(result.map(({ remaining }) => remaining)).toEqual(left);
  }
});

it('stays in its namespace on every page', () => {
  expect(pages(filled(), { limit: 1, namespace: 'b' }).map(keys)).toEqual([['b/1'], ['b/2']]);
});

it('does not count remaining objects with a selector', () => {
  const result = pages(filled(), { limit: 2, labelSelector: 'odd=1' });
  expect(result.flatMap(keys)).toEqual(['a/2', 'b-c/1', 'b/2']);
  expect(result.map(({ remaining }) => remaining)).toEqual([undefined, undefined]);
});

it('shows the state of the first page on later pages, whatever was written since', () => {
  const store = filled();
  let round = 0;
  const result = pages(store, { limit: 2 }, () => {
    put(store, `a/0-${round++}`);
    if (store.collection(storage).get('b/1')) remove(store, 'b/1');
    put(store, 'b/2', { changed: 'yes' });
  });
  expect(result.flatMap(keys)).toEqual(names);
  expect(new Set(result.map(({ revision }) => revision)).size).toBe(1);
  expect(result.flatMap(({ entries }) => entries).at(-1)?.object.metadata.labels).toEqual({ odd: '1' });
});

it('responds with 410 when that state is compacted, with a token that continues from the same key', () => {
  const store = filled();
  const first = list(store, { limit: 4 });
  put(store, 'b/0');
  store.sealHistory();
  const status = refusal(() => list(store, { limit: 4, continue: first.continue }));
  expect([status.code, status.reason]).toEqual([410, 'Expired']);
  const token = String(status.metadata['continue']);
  expect(keys(list(store, { limit: 4, continue: token }))).toEqual(['b/1', 'b/2']);
});

it('lists an exact past version or at least a version, and refuses a future one', () => {
  const store = filled();
  const then = String(store.revision);
  remove(store, 'a/1');
  expect(keys(list(store, { resourceVersion: then, resourceVersionMatch: 'Exact' }))).toEqual(names);
  expect(keys(list(store, { resourceVersion: then, limit: 1 }))).toEqual(['a/1']);
  expect(keys(list(store, { resourceVersion: then, resourceVersionMatch: 'NotOlderThan' }))).toEqual(names.slice(1));
  expect(keys(list(store, { resourceVersion: '0' }))).toEqual(names.slice(1));
  expect(refusal(() => list(store, { resourceVersion: '999' }))).toMatchObject({
    code: 504,
    reason: 'Timeout',
    details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
  });
});

it.each([
  [{ limit: -1 }, 400],
  [{ limit: Number.NaN }, 400],
  [{ resourceVersion: 'x' }, 400],
  [{ continue: 'garbage' }, 400],
  [{ continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":1}').toString('base64url') }, 400],
  [{ continue: Buffer.from('null').toString('base64url') }, 400],
  [{ resourceVersion: '1', resourceVersionMatch: 'Sometimes' }, 422],
  [{ resourceVersionMatch: 'Exact' }, 422],
  [{ resourceVersion: '0', resourceVersionMatch: 'Exact' }, 422],
  [{ labelSelector: '=' }, 400],
  [{ fieldSelector: 'spec.nothing=1' }, 400],
])('refuses %j', (request, code) => {
  expect(refusal(() => list(filled(), request)).code).toBe(code);
});
