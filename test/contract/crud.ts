import { expect, it } from 'vitest';
import { expectCode, expectFailure, type Fixture, namesOf } from './fixture.ts';
import { configMap, pod } from './objects.ts';

export function defineCrud(fixture: Fixture): void {
  const inNamespace = async (resource = 'configmaps') => `/api/v1/namespaces/${await fixture.namespace()}/${resource}`;

  it('answers a create with 201 and the stored object', async () => {
    const path = await inNamespace();
    const body = await expectCode(fixture.api.post(path, configMap('a', { k: 'v' })), 201);
    expect(body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' }, metadata: { name: 'a' } });
    expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(body.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
    expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(await expectCode(fixture.api.get(`${path}/a`), 200)).toEqual(body);
  });

  it('takes the namespace, the kind and the version of a body that leaves them out from the path', async () => {
    const path = await inNamespace();
    const body = await expectCode(fixture.api.post(path, { metadata: { name: 'a' } }), 201);
    expect(body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
    expect(path).toContain(`/${body.metadata.namespace}/`);
  });

  it('ignores the uid, the timestamp and the selfLink that a create sends', async () => {
    const path = await inNamespace();
    const sent = { uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z', selfLink: '/x' };
    const { metadata } = await expectCode(fixture.api.post(path, configMap('a', {}, sent)), 201);
    expect(metadata.uid).not.toBe('mine');
    expect(metadata.creationTimestamp).not.toBe('2001-01-01T00:00:00Z');
    expect(metadata['selfLink']).toBeUndefined();
  });

  it('answers 500 to a create that carries a resourceVersion', async () => {
    const path = await inNamespace();
    const body = await expectCode(fixture.api.post(path, configMap('a', {}, { resourceVersion: '1' })), 500);
    expect(body.message).toBe('resourceVersion should not be set on objects to be created');
    expect(body.reason).toBeUndefined();
  });

  it('appends five characters to a generateName', async () => {
    const path = await inNamespace();
    const send = () => fixture.api.post(path, { metadata: { generateName: 'made-' } });
    const [one, other] = [await expectCode(send(), 201), await expectCode(send(), 201)];
    expect(one.metadata.name).toMatch(/^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(one.metadata['generateName']).toBe('made-');
    expect(other.metadata.name).not.toBe(one.metadata.name);
  });

  it('prefers a name to a generateName', async () => {
    const body = await expectCode(
      fixture.api.post(await inNamespace(), configMap('a', {}, { generateName: 'b-' })),
      201,
    );
    expect(body.metadata.name).toBe('a');
  });

  it('answers 409 AlreadyExists to a second create of the same name', async () => {
    const path = await inNamespace();
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    const body = await expectFailure(fixture.api.post(path, configMap('a')), 409, 'AlreadyExists');
    expect(body.message).toBe('configmaps "a" already exists');
    expect(body.details).toEqual({ name: 'a', kind: 'configmaps' });
  });

  it('answers 404 NotFound to a get, an update, a patch and a delete of what is not there', async () => {
    const path = `${await inNamespace()}/none`;
    for (const answer of [
      fixture.api.get(path),
      fixture.api.put(path, configMap('none', {}, { resourceVersion: '1' })),
      fixture.api.patch(path, {}, 'merge'),
      fixture.api.delete(path),
    ]) {
      const body = await expectFailure(answer, 404, 'NotFound');
      expect(body.message).toBe('configmaps "none" not found');
      expect(body.details).toEqual({ name: 'none', kind: 'configmaps' });
    }
  });

  it('names the group of a resource in the details of a failure', async () => {
    const namespace = await fixture.namespace();
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/none`;
    const body = await expectFailure(fixture.api.get(path), 404, 'NotFound');
    expect(body.message).toBe('deployments.apps "none" not found');
    expect(body.details).toEqual({ name: 'none', group: 'apps', kind: 'deployments' });
  });

  it('replaces the whole object on update and moves its resourceVersion', async () => {
    const path = await inNamespace();
    const { metadata } = await expectCode(
      fixture.api.post(path, configMap('a', { one: '1' }, { labels: { l: 'x' } })),
      201,
    );
    const { resourceVersion } = metadata;
    const body = await expectCode(fixture.api.put(`${path}/a`, configMap('a', { two: '2' }, { resourceVersion })), 200);
    expect(body.data).toEqual({ two: '2' });
    expect(body.metadata.labels).toBeUndefined();
    expect(body.metadata.uid).toBe(metadata.uid);
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
  });

  it('keeps the resourceVersion when an update changes nothing', async () => {
    const path = await inNamespace();
    const made = await expectCode(fixture.api.post(path, configMap('a', { k: 'v' })), 201);
    const body = await expectCode(fixture.api.put(`${path}/a`, made), 200);
    expect(body.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  it('updates without a resourceVersion whatever is there', async () => {
    const path = await inNamespace();
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    await expectCode(fixture.api.put(`${path}/a`, configMap('a', { k: 'v' })), 200);
  });

  it('answers 409 Conflict to an update from an old resourceVersion', async () => {
    const path = await inNamespace();
    const made = await expectCode(fixture.api.post(path, configMap('a')), 201);
    await expectCode(fixture.api.put(`${path}/a`, { ...made, data: { k: 'v' } }), 200);
    const body = await expectFailure(fixture.api.put(`${path}/a`, { ...made, data: { k: 'w' } }), 409, 'Conflict');
    expect(body.message).toBe(
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect(body.details).toEqual({ name: 'a', kind: 'configmaps' });
  });

  it('answers 409 Conflict to an update that names another uid', async () => {
    const path = await inNamespace();
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    const uid = '00000000-0000-4000-8000-000000000000';
    const body = await expectFailure(fixture.api.put(`${path}/a`, configMap('a', {}, { uid })), 409, 'Conflict');
    expect(body.message).toContain(`Precondition failed: UID in precondition: ${uid}, UID in object meta:`);
  });

  it('answers a delete of an object without dependents with a Status that names it', async () => {
    const path = await inNamespace();
    const { metadata } = await expectCode(fixture.api.post(path, configMap('a')), 201);
    const body = await expectCode(fixture.api.delete(`${path}/a`), 200);
    expect(body).toMatchObject({ kind: 'Status', status: 'Success' });
    expect(body.details).toEqual({ name: 'a', kind: 'configmaps', uid: metadata.uid });
    await expectCode(fixture.api.get(`${path}/a`), 404);
  });

  it('answers a delete of a pod with the pod itself', async () => {
    const path = await inNamespace('pods');
    await expectCode(fixture.api.post(path, pod('a')), 201);
    const body = await expectCode(fixture.api.delete(`${path}/a?gracePeriodSeconds=0`), 200);
    expect(body).toMatchObject({ kind: 'Pod', metadata: { name: 'a' } });
  });

  it('deletes only when the preconditions hold', async () => {
    const path = await inNamespace();
    const { metadata } = await expectCode(fixture.api.post(path, configMap('a')), 201);
    const wrongUid = { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } };
    const wrongVersion = { preconditions: { resourceVersion: '1' } };
    const byUid = await expectFailure(fixture.api.delete(`${path}/a`, wrongUid), 409, 'Conflict');
    expect(byUid.message).toContain('the UID in the precondition');
    const byVersion = await expectFailure(fixture.api.delete(`${path}/a`, wrongVersion), 409, 'Conflict');
    expect(byVersion.message).toContain('the ResourceVersion in the precondition (1)');
    const { uid, resourceVersion } = metadata;
    await expectCode(fixture.api.delete(`${path}/a`, { preconditions: { uid, resourceVersion } }), 200);
  });

  it('deletes a collection by selector and answers with what it deleted', async () => {
    const path = await inNamespace();
    for (const name of ['a', 'b'])
      await expectCode(fixture.api.post(path, configMap(name, {}, { labels: { x: 'y' } })), 201);
    await expectCode(fixture.api.post(path, configMap('c')), 201);
    const body = await expectCode(fixture.api.delete(`${path}?labelSelector=x%3Dy`), 200);
    expect(body.kind).toBe('ConfigMapList');
    expect(namesOf(body)).toEqual(['a', 'b']);
    await expectCode(fixture.api.get(`${path}/a`), 404);
    await expectCode(fixture.api.get(`${path}/c`), 200);
  });

  it('makes an object of the same name anew, with another uid', async () => {
    const path = await inNamespace();
    const first = await expectCode(fixture.api.post(path, configMap('a')), 201);
    await expectCode(fixture.api.delete(`${path}/a`), 200);
    const second = await expectCode(fixture.api.post(path, configMap('a')), 201);
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
  });

  it('does not change an immutable ConfigMap', async () => {
    const path = await inNamespace();
    await expectCode(fixture.api.post(path, { ...configMap('a', { k: 'v' }), immutable: true }), 201);
    const body = await expectFailure(fixture.api.patch(`${path}/a`, { data: { k: 'w' } }, 'merge'), 422, 'Invalid');
    expect(body.message).toContain('field is immutable when `immutable` is set');
  });

  it('turns the stringData of a Secret into data and stores no stringData', async () => {
    const path = await inNamespace('secrets');
    const body = await expectCode(
      fixture.api.post(path, { metadata: { name: 'a' }, data: { one: 'MQ==' }, stringData: { one: 'x', two: '2' } }),
      201,
    );
    expect(body).toMatchObject({ type: 'Opaque', data: { one: 'eA==', two: 'Mg==' } });
    expect(body['stringData']).toBeUndefined();
  });

  it('accepts a body of YAML', async () => {
    const path = await inNamespace();
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: "v"\n';
    const made = await expectCode(fixture.api.send('POST', path, { body, contentType: 'application/yaml' }), 201);
    expect(made.data).toEqual({ k: 'v' });
  });

  it('responds in YAML on request', async () => {
    const path = await inNamespace();
    await expectCode(fixture.api.post(path, configMap('a', { k: 'v' })), 201);
    const { status, headers, text } = await fixture.api.get(`${path}/a`, { accept: 'application/yaml' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/yaml');
    expect(text).toMatch(/^apiVersion: v1\ndata:\n {2}k: v\nkind: ConfigMap\n/);
  });
}
