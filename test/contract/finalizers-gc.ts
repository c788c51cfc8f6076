import { expect, it } from 'vitest';
import { eventually } from '../support/wait.ts';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap, deployment } from './objects.ts';

export function defineFinalizersAndGarbage(fixture: Fixture): void {
  const configMaps = async () => `/api/v1/namespaces/${await fixture.namespace()}/configmaps`;
  const gone = (path: string) => eventually(() => expectCode(fixture.api.get(path), 404), { timeoutMs: 20_000 });
  const ownedBy = (owner: { metadata: { name: string; uid: string } }, extra: object = {}) => ({
    ownerReferences: [
      { apiVersion: 'v1', kind: 'ConfigMap', name: owner.metadata.name, uid: owner.metadata.uid, ...extra },
    ],
  });

  it('keeps a deleted object until its last finalizer is gone', async () => {
    const path = await configMaps();
    await expectCode(fixture.api.post(path, configMap('a', {}, { finalizers: ['a.test/x', 'a.test/y'] })), 201);
    const deleted = await expectCode(fixture.api.delete(`${path}/a`), 200);
    expect(deleted).toMatchObject({ kind: 'ConfigMap', metadata: { deletionGracePeriodSeconds: 0 } });
    expect(deleted.metadata.deletionTimestamp).toMatch(/Z$/);
    await expectCode(fixture.api.patch(`${path}/a`, { metadata: { finalizers: ['a.test/y'] } }, 'merge'), 200);
    await expectCode(fixture.api.get(`${path}/a`), 200);
    await expectCode(fixture.api.patch(`${path}/a`, { metadata: { finalizers: null } }, 'merge'), 200);
    await expectCode(fixture.api.get(`${path}/a`), 404);
  });

  it('shows a deletion that waits as MODIFIED and its end as DELETED', async () => {
    const path = await configMaps();
    const made = await expectCode(fixture.api.post(path, configMap('a', {}, { finalizers: ['a.test/x'] })), 201);
    const stream = await fixture.watch(
      `${path}?fieldSelector=metadata.name%3Da&resourceVersion=${made.metadata.resourceVersion}`,
    );
    await expectCode(fixture.api.delete(`${path}/a`), 200);
    const marked = await stream.next();
    expect(marked.type).toBe('MODIFIED');
    expect(marked.object.metadata.deletionTimestamp).toBeTypeOf('string');
    await expectCode(fixture.api.patch(`${path}/a`, { metadata: { finalizers: null } }, 'merge'), 200);
    expect((await stream.next()).type).toBe('DELETED');
  });

  it('adds no finalizer to an object that is being deleted', async () => {
    const path = await configMaps();
    await expectCode(fixture.api.post(path, configMap('a', {}, { finalizers: ['a.test/x'] })), 201);
    await expectCode(fixture.api.delete(`${path}/a`), 200);
    const patch = { metadata: { finalizers: ['a.test/x', 'a.test/new'] } };
    const body = await expectFailure(fixture.api.patch(`${path}/a`, patch, 'merge'), 422, 'Invalid');
    expect(body.message).toContain('no new finalizers can be added if the object is being deleted');
    await expectCode(fixture.api.patch(`${path}/a`, { metadata: { finalizers: null } }, 'merge'), 200);
  });

  it('does not let a client set or clear the deletion timestamp', async () => {
    const path = await configMaps();
    const deletionTimestamp = '2001-01-01T00:00:00Z';
    const made = await expectCode(fixture.api.post(path, configMap('a', {}, { deletionTimestamp })), 201);
    expect(made.metadata.deletionTimestamp).toBeUndefined();
    await expectFailure(fixture.api.patch(`${path}/a`, { metadata: { deletionTimestamp } }, 'merge'), 422, 'Invalid');
  });

  it('keeps the first deletion timestamp when an object is deleted again', async () => {
    const path = await configMaps();
    await expectCode(fixture.api.post(path, configMap('a', {}, { finalizers: ['a.test/x'] })), 201);
    const first = await expectCode(fixture.api.delete(`${path}/a`), 200);
    const second = await expectCode(fixture.api.delete(`${path}/a`), 200);
    expect(second.metadata.deletionTimestamp).toBe(first.metadata.deletionTimestamp);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    await expectCode(fixture.api.patch(`${path}/a`, { metadata: { finalizers: null } }, 'merge'), 200);
  });

  it('collects what a deleted object owned, in the background', async () => {
    const path = await configMaps();
    const owner = await expectCode(fixture.api.post(path, configMap('owner')), 201);
    await expectCode(fixture.api.post(path, configMap('owned', {}, ownedBy(owner))), 201);
    await expectCode(fixture.api.delete(`${path}/owner?propagationPolicy=Background`), 200);
    await expectCode(fixture.api.get(`${path}/owner`), 404);
    await gone(`${path}/owned`);
  });

  it('collects first what blocks the deletion of its owner, in the foreground', async () => {
    const path = await configMaps();
    const owner = await expectCode(fixture.api.post(path, configMap('owner')), 201);
    const held = { ...ownedBy(owner, { blockOwnerDeletion: true }), finalizers: ['a.test/x'] };
    await expectCode(fixture.api.post(path, configMap('owned', {}, held)), 201);
    const body = await expectCode(fixture.api.delete(`${path}/owner?propagationPolicy=Foreground`), 200);
    expect(body.metadata.finalizers).toEqual(['foregroundDeletion']);
    await eventually(async () => {
      const { metadata } = await expectCode(fixture.api.get(`${path}/owned`), 200);
      expect(metadata.deletionTimestamp).toBeTypeOf('string');
    });
    await expectCode(fixture.api.get(`${path}/owner`), 200);
    await expectCode(fixture.api.patch(`${path}/owned`, { metadata: { finalizers: null } }, 'merge'), 200);
    await gone(`${path}/owner`);
  });

  it('keeps dependents of a deleted object, without the reference, with the Orphan policy', async () => {
    const path = await configMaps();
    const owner = await expectCode(fixture.api.post(path, configMap('owner')), 201);
    await expectCode(fixture.api.post(path, configMap('owned', {}, ownedBy(owner))), 201);
    const body = await expectCode(fixture.api.delete(`${path}/owner?propagationPolicy=Orphan`), 200);
    expect(body.metadata.finalizers).toEqual(['orphan']);
    await gone(`${path}/owner`);
    const { metadata } = await expectCode(fixture.api.get(`${path}/owned`), 200);
    expect(metadata['ownerReferences']).toBeUndefined();
  });

  it('keeps an object as long as one of its owners lives', async () => {
    const path = await configMaps();
    const [one, other] = [
      await expectCode(fixture.api.post(path, configMap('one')), 201),
      await expectCode(fixture.api.post(path, configMap('other')), 201),
    ];
    const ownerReferences = [...ownedBy(one).ownerReferences, ...ownedBy(other).ownerReferences];
    await expectCode(fixture.api.post(path, configMap('owned', {}, { ownerReferences })), 201);
    await expectCode(fixture.api.delete(`${path}/one`), 200);
    await eventually(async () => {
      const { metadata } = await expectCode(fixture.api.get(`${path}/owned`), 200);
      expect(metadata['ownerReferences']).toHaveLength(1);
    });
    await expectCode(fixture.api.delete(`${path}/other`), 200);
    await gone(`${path}/owned`);
  });

  it('collects an object whose owner never existed', async () => {
    const path = await configMaps();
    const owner = { metadata: { name: 'never', uid: '00000000-0000-4000-8000-000000000000' } };
    await expectCode(fixture.api.post(path, configMap('owned', {}, ownedBy(owner))), 201);
    await gone(`${path}/owned`);
  });

  it('collects the ReplicaSets and pods of a deleted Deployment', async () => {
    const namespace = await fixture.namespace();
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await expectCode(fixture.api.post(path, deployment('a', 1)), 201);
    const lists = [`/apis/apps/v1/namespaces/${namespace}/replicasets`, `/api/v1/namespaces/${namespace}/pods`];
    const count = async (expected: number) => {
      for (const list of lists) expect((await expectCode(fixture.api.get(list), 200)).items).toHaveLength(expected);
    };
    await eventually(() => count(1));
    await expectCode(fixture.api.delete(`${path}/a`), 200);
    await eventually(() => count(0), { timeoutMs: 20_000 });
  });

  it('refuses two owners that both claim to control', async () => {
    const path = await configMaps();
    const owner = { metadata: { name: 'x', uid: 'u' } };
    const [reference] = ownedBy(owner, { controller: true }).ownerReferences;
    const ownerReferences = [reference, { ...reference, uid: 'v' }];
    const body = await expectFailure(fixture.api.post(path, configMap('a', {}, { ownerReferences })), 422, 'Invalid');
    expect(body.message).toContain('Only one reference can have Controller set to true');
  });
}
