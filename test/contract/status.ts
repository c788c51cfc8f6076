import { expect, it } from 'vitest';
import { eventually } from '../support/wait.ts';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { deployment, pod } from './objects.ts';

export function defineStatus(fixture: Fixture): void {
  const deployments = async () => `/apis/apps/v1/namespaces/${await fixture.namespace()}/deployments`;
  const paused = (name: string) => ({ ...deployment(name), spec: { ...deployment(name).spec, paused: true } });

  it('moves the generation with the spec and with nothing else', async () => {
    const path = await deployments();
    await expectCode(fixture.api.post(path, paused('a')), 201);
    const label = await expectCode(fixture.api.patch(`${path}/a`, { metadata: { labels: { x: 'y' } } }, 'merge'), 200);
    expect(label.metadata.generation).toBe(1);
    const spec = await expectCode(fixture.api.patch(`${path}/a`, { spec: { minReadySeconds: 3 } }, 'merge'), 200);
    expect(spec.metadata.generation).toBe(2);
    const same = await expectCode(fixture.api.patch(`${path}/a`, { spec: { minReadySeconds: 3 } }, 'merge'), 200);
    expect(same.metadata.generation).toBe(2);
    const status = { status: { conditions: [{ type: 'Extra', status: 'True' }] } };
    const written = await expectCode(fixture.api.patch(`${path}/a/status`, status, 'strategic'), 200);
    expect(written.metadata.generation).toBe(2);
  });

  it('does not let a client set the generation', async () => {
    const path = await deployments();
    await expectCode(fixture.api.post(path, paused('a')), 201);
    const body = await expectCode(fixture.api.patch(`${path}/a`, { metadata: { generation: 9 } }, 'merge'), 200);
    expect(body.metadata.generation).toBe(1);
  });

  it('drops the status that a create or an update of the object sends', async () => {
    const path = await deployments();
    const status = { replicas: 7 };
    const made = await expectCode(fixture.api.post(path, { ...paused('a'), status }), 201);
    expect(made['status']).toEqual({});
    const body = await expectCode(fixture.api.patch(`${path}/a`, { status: { replicas: 7 } }, 'merge'), 200);
    expect(body['status']).not.toMatchObject({ replicas: 7 });
  });

  it('drops the spec and the labels that a write of the status sends', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/pods`;
    await expectCode(fixture.api.post(path, pod('a')), 201);
    const body = await expectCode(
      fixture.api.patch(
        `${path}/a/status`,
        { spec: { activeDeadlineSeconds: 5 }, status: { phase: 'Running', message: 'm' } },
        'merge',
      ),
      200,
    );
    expect(body.spec['activeDeadlineSeconds']).toBeUndefined();
    expect(body['status']).toMatchObject({ phase: 'Running', message: 'm' });
  });

  it('replaces the status by a PUT that carries the whole object', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/pods`;
    const made = await expectCode(fixture.api.post(path, pod('a')), 201);
    const body = await expectCode(
      fixture.api.put(`${path}/a/status`, { ...made, status: { phase: 'Failed', reason: 'Because' } }),
      200,
    );
    expect(body['status']).toMatchObject({ phase: 'Failed', reason: 'Because' });
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
    await expectFailure(
      fixture.api.put(`${path}/a/status`, { ...made, status: { phase: 'Running' } }),
      409,
      'Conflict',
    );
  });

  it('reads the whole object at the status subresource', async () => {
    const path = await deployments();
    await expectCode(fixture.api.post(path, paused('a')), 201);
    const body = await expectCode(fixture.api.get(`${path}/a/status`), 200);
    expect(body).toMatchObject({ kind: 'Deployment', metadata: { name: 'a' }, spec: { paused: true } });
  });

  it('brings a Deployment to life: a ReplicaSet and pods that it owns', async () => {
    const path = await deployments();
    const namespace = path.split('/')[5];
    const made = await expectCode(fixture.api.post(path, deployment('a', 2)), 201);
    const set = await eventually(async () => {
      const { items } = await expectCode(fixture.api.get(`/apis/apps/v1/namespaces/${namespace}/replicasets`), 200);
      expect(items).toHaveLength(1);
      return items[0];
    });
    expect(set?.metadata).toMatchObject({
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: 'a',
          uid: made.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      labels: { app: 'a', 'pod-template-hash': expect.stringMatching(/^[bcdf0-9ghjklmnpqrstvwxz]+$/) },
      annotations: { 'deployment.kubernetes.io/revision': '1', 'deployment.kubernetes.io/desired-replicas': '2' },
    });
    expect(set?.metadata.name).toBe(`a-${set?.metadata.labels['pod-template-hash']}`);
    await eventually(async () => {
      const { items } = await expectCode(
        fixture.api.get(`/api/v1/namespaces/${namespace}/pods?labelSelector=app%3Da`),
        200,
      );
      expect(items).toHaveLength(2);
      for (const item of items) {
        expect(item.metadata.name).toMatch(new RegExp(`^${set?.metadata.name}-[a-z0-9]{5}$`));
        expect(item.metadata).toMatchObject({ ownerReferences: [{ kind: 'ReplicaSet', uid: set?.metadata.uid }] });
      }
    });
    await eventually(async () => {
      const body = await expectCode(fixture.api.get(`${path}/a`), 200);
      expect(body['status']).toMatchObject({ observedGeneration: 1, replicas: 2, updatedReplicas: 2 });
    });
  });
}
