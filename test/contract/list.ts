import { expect, it } from 'vitest';
import { expectCode, expectFailure, type Fixture, namesOf } from './fixture.ts';
import { configMap } from './objects.ts';

const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const metadataList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

export function defineLists(fixture: Fixture): void {
  const secrets = async (...names: readonly string[]) => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/secrets`;
    for (const name of names) await expectCode(fixture.api.post(path, { metadata: { name } }), 201);
    return path;
  };
  const next = (page: { metadata: { continue: string } }) => `continue=${encodeURIComponent(page.metadata.continue)}`;

  it('answers a list with its kind, the resourceVersion of the moment, and items without kind', async () => {
    const path = await secrets('b', 'a');
    const body = await expectCode(fixture.api.get(path), 200);
    expect(body).toMatchObject({ kind: 'SecretList', apiVersion: 'v1' });
    expect(namesOf(body)).toEqual(['a', 'b']);
    expect(body.items[0]?.kind).toBeUndefined();
    expect(body.items[0]?.apiVersion).toBeUndefined();
    const newest = Math.max(...body.items.map((item) => Number(item.metadata.resourceVersion)));
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(newest);
  });

  it('answers an empty list with an empty array', async () => {
    expect((await expectCode(fixture.api.get(await secrets()), 200)).items).toEqual([]);
  });

  it('lists across all namespaces in the order of namespace and name', async () => {
    const label = fixture.unique('across');
    const made = { metadata: { name: 'a', labels: { across: label } } };
    const namespaces = [await fixture.namespace(), await fixture.namespace()].sort();
    for (const namespace of namespaces)
      await expectCode(fixture.api.post(`/api/v1/namespaces/${namespace}/secrets`, made), 201);
    const body = await expectCode(fixture.api.get(`/api/v1/secrets?labelSelector=across%3D${label}`), 200);
    expect(body.items.map((item) => item.metadata.namespace)).toEqual(namespaces);
  });

  it('hands out pages of a limited list, with how many remain', async () => {
    const path = await secrets('a', 'b', 'c', 'd', 'e');
    const first = await expectCode(fixture.api.get(`${path}?limit=2`), 200);
    expect(namesOf(first)).toEqual(['a', 'b']);
    expect(first.metadata.remainingItemCount).toBe(3);
    const second = await expectCode(fixture.api.get(`${path}?limit=2&${next(first)}`), 200);
    expect(namesOf(second)).toEqual(['c', 'd']);
    const third = await expectCode(fixture.api.get(`${path}?limit=2&${next(second)}`), 200);
    expect(namesOf(third)).toEqual(['e']);
    expect(third.metadata.continue).toBeUndefined();
    expect(third.metadata.remainingItemCount).toBeUndefined();
  });

  it('shows on later pages the state of the first', async () => {
    const path = await secrets('a', 'c');
    const first = await expectCode(fixture.api.get(`${path}?limit=1`), 200);
    await expectCode(fixture.api.post(path, { metadata: { name: 'b' } }), 201);
    const second = await expectCode(fixture.api.get(`${path}?limit=5&${next(first)}`), 200);
    expect(namesOf(second)).toEqual(['c']);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it('does not count the remaining items of a list with a selector', async () => {
    const path = await secrets();
    for (const name of ['a', 'b', 'c'])
      await expectCode(fixture.api.post(path, { metadata: { name, labels: { x: 'y' } } }), 201);
    const body = await expectCode(fixture.api.get(`${path}?limit=1&labelSelector=x%3Dy`), 200);
    expect(namesOf(body)).toEqual(['a']);
    expect(body.metadata.continue).toBeTypeOf('string');
    expect(body.metadata.remainingItemCount).toBeUndefined();
  });

  it('answers 400 to a continue token that it did not hand out', async () => {
    const path = await secrets('a');
    const body = await expectFailure(fixture.api.get(`${path}?limit=1&continue=garbage`), 400, 'BadRequest');
    expect(body.message).toMatch(/^invalid continue token: continue key is not valid: /);
  });

  it('answers 400 to a continue token together with a resourceVersion', async () => {
    const path = await secrets('a', 'b');
    const first = await expectCode(fixture.api.get(`${path}?limit=1`), 200);
    const answer = fixture.api.get(`${path}?limit=1&resourceVersion=1&${next(first)}`);
    const body = await expectFailure(answer, 400, 'BadRequest');
    expect(body.message).toBe('specifying resource version is not allowed when using continue');
  });

  it('gives the state as of any version under resourceVersion=0', async () => {
    const path = await secrets('a');
    const body = await expectCode(fixture.api.get(`${path}?resourceVersion=0`), 200);
    expect(body.kind).toBe('SecretList');
  });

  it('gives a state not older than the version asked for', async () => {
    const path = await secrets('a');
    const { metadata } = await expectCode(fixture.api.post(path, { metadata: { name: 'b' } }), 201);
    const { resourceVersion } = metadata;
    for (const match of ['', '&resourceVersionMatch=NotOlderThan']) {
      const body = await expectCode(fixture.api.get(`${path}?resourceVersion=${resourceVersion}${match}`), 200);
      expect(namesOf(body)).toEqual(['a', 'b']);
    }
  });

  it('gives exactly the state of the version asked for under resourceVersionMatch=Exact', async () => {
    const path = await secrets('a');
    const { metadata } = await expectCode(fixture.api.get(path), 200);
    await expectCode(fixture.api.post(path, { metadata: { name: 'b' } }), 201);
    const query = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
    const body = await expectCode(fixture.api.get(`${path}?${query}`), 200);
    expect(namesOf(body)).toEqual(['a']);
    expect(body.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('refuses a resourceVersionMatch that has no version to match', async () => {
    const path = await secrets();
    const body = await expectFailure(fixture.api.get(`${path}?resourceVersionMatch=Exact`), 422, 'Invalid');
    expect(body.message).toContain('resourceVersionMatch is forbidden unless resourceVersion is provided');
    await expectFailure(fixture.api.get(`${path}?resourceVersion=0&resourceVersionMatch=Exact`), 422, 'Invalid');
  });

  it('answers 504 to a version of the future', async () => {
    const path = await secrets();
    const body = await expectFailure(fixture.api.get(`${path}?resourceVersion=99999999`), 504, 'Timeout');
    expect(body.message).toMatch(/^Timeout: Too large resource version: 99999999, current: \d+$/);
    expect(body.details).toMatchObject({ retryAfterSeconds: 1 });
    expect(body.details.causes).toEqual([{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }]);
  });

  it('returns only the metadata of an object on request', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/configmaps`;
    await expectCode(fixture.api.post(path, configMap('a', { k: 'v' }, { labels: { x: 'y' } })), 201);
    const body = await expectCode(fixture.api.get(`${path}/a`, { accept: metadataOnly }), 200);
    expect(body).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a', labels: { x: 'y' } },
    });
    expect(body.data).toBeUndefined();
  });

  it('lists only the metadata of objects on request', async () => {
    const path = await secrets('a', 'b');
    const body = await expectCode(fixture.api.get(path, { accept: metadataList }), 200);
    expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(namesOf(body)).toEqual(['a', 'b']);
    expect(Object.keys(body.items[0] ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
  });
}
