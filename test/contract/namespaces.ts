import { expect, it } from 'vitest';
import { eventually } from '../support/wait.ts';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap } from './objects.ts';

export function defineNamespaces(fixture: Fixture): void {
  it('has the namespaces that every cluster has', async () => {
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
      await eventually(() => expectCode(fixture.api.get(`/api/v1/namespaces/${name}`), 200));
  });

  it('labels a namespace with its name, makes it active, and holds it by a finalizer', async () => {
    const name = await fixture.namespace({ x: 'y' });
    const body = await expectCode(fixture.api.get(`/api/v1/namespaces/${name}`), 200);
    expect(body.metadata.labels).toEqual({ x: 'y', 'kubernetes.io/metadata.name': name });
    expect(body.spec).toEqual({ finalizers: ['kubernetes'] });
    expect(body['status']).toEqual({ phase: 'Active' });
  });

  it('gives a namespace the default account and the root certificate', async () => {
    const name = await fixture.namespace();
    await expectCode(fixture.api.get(`/api/v1/namespaces/${name}/serviceaccounts/default`), 200);
    await eventually(async () => {
      const body = await expectCode(fixture.api.get(`/api/v1/namespaces/${name}/configmaps/kube-root-ca.crt`), 200);
      expect(body.data['ca.crt']).toContain('BEGIN CERTIFICATE');
    });
  });

  it('refuses a name of a namespace that is no DNS label', async () => {
    const body = await expectFailure(
      fixture.api.post('/api/v1/namespaces', { metadata: { name: 'a.b' } }),
      422,
      'Invalid',
    );
    expect(body.message).toContain('metadata.name: Invalid value: "a.b": must not contain dots');
  });

  it('terminates a deleted namespace: refuses creates, empties it, and lets it go', async () => {
    const name = await fixture.namespace();
    const path = `/api/v1/namespaces/${name}`;
    await expectCode(fixture.api.post(`${path}/configmaps`, configMap('held', {}, { finalizers: ['a.test/x'] })), 201);
    await expectCode(fixture.api.post(`${path}/configmaps`, configMap('free')), 201);
    const deleted = await expectCode(fixture.api.delete(path), 200);
    expect(deleted).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    expect(deleted.metadata.deletionTimestamp).toBeTypeOf('string');

    const refused = await eventually(() =>
      expectFailure(fixture.api.post(`${path}/configmaps`, configMap(fixture.unique('late'))), 403, 'Forbidden'),
    );
    expect(refused.message).toMatch(
      new RegExp(
        `^configmaps "late-\\d+" is forbidden: unable to create new content in namespace ${name} because it is being terminated$`,
      ),
    );
    expect(refused.details.causes).toEqual([
      { reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
    ]);
    await eventually(() => expectCode(fixture.api.get(`${path}/configmaps/free`), 404));
    const waiting = await eventually(async () => {
      const body = await expectCode(fixture.api.get(path), 200);
      expect(body['status']).toMatchObject({
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'NamespaceFinalizersRemaining', status: 'True' }),
          expect.objectContaining({ type: 'NamespaceContentRemaining', status: 'True' }),
          expect.objectContaining({ type: 'NamespaceDeletionContentFailure', status: 'False' }),
        ]),
      });
      return body;
    });
    expect(waiting['status']).toMatchObject({ phase: 'Terminating' });
    await expectCode(fixture.api.patch(`${path}/configmaps/held`, { metadata: { finalizers: null } }, 'merge'), 200);
    await eventually(() => expectCode(fixture.api.get(path), 404), { timeoutMs: 20_000 });
  });

  it('answers a second delete of a namespace that is terminating with the namespace as it is', async () => {
    const name = await fixture.namespace();
    const path = `/api/v1/namespaces/${name}`;
    await expectCode(fixture.api.post(`${path}/configmaps`, configMap('held', {}, { finalizers: ['a.test/x'] })), 201);
    const first = await expectCode(fixture.api.delete(path), 200);
    const second = await expectCode(fixture.api.delete(path), 200);
    expect(second.metadata.deletionTimestamp).toBe(first.metadata.deletionTimestamp);
    await expectCode(fixture.api.patch(`${path}/configmaps/held`, { metadata: { finalizers: null } }, 'merge'), 200);
  });

  it('lets a namespace go when its finalizers are taken away at the finalize subresource', async () => {
    const name = fixture.unique('finalized');
    const made = await expectCode(
      fixture.api.post('/api/v1/namespaces', { metadata: { name }, spec: { finalizers: ['a.test/x'] } }),
      201,
    );
    expect(made.spec).toEqual({ finalizers: ['a.test/x', 'kubernetes'] });
    await expectCode(fixture.api.delete(`/api/v1/namespaces/${name}`), 200);
    await eventually(async () => {
      const body = await expectCode(fixture.api.get(`/api/v1/namespaces/${name}`), 200);
      expect(body.spec).toEqual({ finalizers: ['a.test/x'] });
    });
    const body = { metadata: { name }, spec: { finalizers: [] } };
    await expectCode(fixture.api.put(`/api/v1/namespaces/${name}/finalize`, body), 200);
    await eventually(() => expectCode(fixture.api.get(`/api/v1/namespaces/${name}`), 404));
  });

  it('protects the default namespace', async () => {
    const body = await expectFailure(fixture.api.delete('/api/v1/namespaces/default'), 403, 'Forbidden');
    expect(body.message).toBe('namespaces "default" is forbidden: this namespace may not be deleted');
  });

  it('has no collection delete of namespaces', async () => {
    await expectFailure(fixture.api.delete('/api/v1/namespaces'), 405, 'MethodNotAllowed');
  });
}
