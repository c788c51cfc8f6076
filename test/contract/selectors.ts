import { expect, it } from 'vitest';
import { expectCode, expectFailure, type Fixture, namesOf } from './fixture.ts';
import { configMap, pod } from './objects.ts';

export function defineSelectors(fixture: Fixture): void {
  const labelled = async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/secrets`;
    const labels: Readonly<Record<string, object>> = { a: { env: 'prod', n: '5' }, b: { env: 'test' }, c: {} };
    for (const [name, value] of Object.entries(labels))
      await expectCode(fixture.api.post(path, { metadata: { name, labels: value } }), 201);
    return path;
  };
  const list = async (path: string, query: Readonly<Record<string, string>>) =>
    namesOf(await expectCode(fixture.api.get(`${path}?${new URLSearchParams(query)}`), 200));

  it('selects by every operator of labels', async () => {
    const path = await labelled();
    const expected: Readonly<Record<string, readonly string[]>> = {
      'env=prod': ['a'],
      'env==test': ['b'],
      'env!=prod': ['b', 'c'],
      'env in (prod, test)': ['a', 'b'],
      'env notin (prod)': ['b', 'c'],
      env: ['a', 'b'],
      '!env': ['c'],
      'env=prod,n=5': ['a'],
      'env,env!=prod': ['b'],
      'n>4': ['a'],
      'n<5': [],
      '': ['a', 'b', 'c'],
    };
    for (const [labelSelector, names] of Object.entries(expected))
      expect({ labelSelector, names: await list(path, { labelSelector }) }).toEqual({ labelSelector, names });
  });

  it('answers 400 to a label selector that it cannot parse', async () => {
    const path = await labelled();
    const body = await expectFailure(fixture.api.get(`${path}?labelSelector=env+in+prod`), 400, 'BadRequest');
    expect(body.message).toMatch(/^unable to parse requirement: |^found /);
  });

  it('selects by the name and the namespace of every kind', async () => {
    const path = await labelled();
    const namespace = path.split('/')[4] ?? '';
    expect(await list(path, { fieldSelector: 'metadata.name=b' })).toEqual(['b']);
    expect(await list(path, { fieldSelector: 'metadata.name!=b' })).toEqual(['a', 'c']);
    const both = { fieldSelector: `metadata.namespace=${namespace},metadata.name=a` };
    expect(await list('/api/v1/secrets', both)).toEqual(['a']);
  });

  it('selects pods by phase, node and account', async () => {
    const namespace = await fixture.namespace();
    const path = `/api/v1/namespaces/${namespace}/pods`;
    for (const name of ['a', 'b']) await expectCode(fixture.api.post(path, pod(name)), 201);
    await expectCode(fixture.api.patch(`${path}/a/status`, { status: { phase: 'Failed' } }, 'merge'), 200);
    expect(await list(path, { fieldSelector: 'status.phase=Failed' })).toEqual(['a']);
    expect(await list(path, { fieldSelector: 'status.phase!=Failed' })).toEqual(['b']);
    expect(await list(path, { fieldSelector: 'spec.nodeName=nowhere' })).toEqual([]);
    expect(await list(path, { fieldSelector: 'spec.serviceAccountName=default' })).toEqual(['a', 'b']);
  });

  it('selects secrets by type', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/secrets`;
    await expectCode(fixture.api.post(path, { metadata: { name: 'a' } }), 201);
    const auth = { metadata: { name: 'b' }, type: 'kubernetes.io/basic-auth', stringData: { username: 'u' } };
    await expectCode(fixture.api.post(path, auth), 201);
    expect(await list(path, { fieldSelector: 'type=kubernetes.io/basic-auth' })).toEqual(['b']);
  });

  it('answers 400 to a field that a kind does not select by', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/configmaps`;
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    const body = await expectFailure(fixture.api.get(`${path}?fieldSelector=data.k%3Dv`), 400, 'BadRequest');
    expect(body.message).toBe('"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"');
  });
}
