import { expect, it } from 'vitest';
import { eventually } from '../support/wait.ts';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { deployment } from './objects.ts';

export function defineScale(fixture: Fixture): void {
  const prepared = async () => {
    const path = `/apis/apps/v1/namespaces/${await fixture.namespace()}/deployments`;
    const object = deployment('a');
    await expectCode(fixture.api.post(path, { ...object, spec: { ...object.spec, paused: true } }), 201);
    return `${path}/a`;
  };

  it('shows a Deployment as a Scale of the same identity', async () => {
    const path = await prepared();
    const { metadata } = await expectCode(fixture.api.get(path), 200);
    const body = await expectCode(fixture.api.get(`${path}/scale`), 200);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'a', uid: metadata.uid },
      status: { replicas: 0, selector: 'app=a' },
    });
    expect(body.spec['replicas'] ?? 0).toBe(0);
  });

  it('scales by a PUT of a Scale', async () => {
    const path = await prepared();
    // The controller writes the status of a new Deployment at the same time.
    const body = await eventually(async () => {
      const scale = await expectCode(fixture.api.get(`${path}/scale`), 200);
      return expectCode(fixture.api.put(`${path}/scale`, { ...scale, spec: { replicas: 1 } }), 200);
    });
    expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 1 } });
    const scaled = await expectCode(fixture.api.get(path), 200);
    expect(scaled.spec['replicas']).toBe(1);
    expect(scaled.metadata.generation).toBe(2);
  });

  it('scales by a patch', async () => {
    const path = await prepared();
    await expectCode(fixture.api.patch(`${path}/scale`, { spec: { replicas: 1 } }, 'merge'), 200);
    expect((await expectCode(fixture.api.get(path), 200)).spec['replicas']).toBe(1);
  });

  it('refuses a negative number of replicas', async () => {
    const path = await prepared();
    const body = await expectFailure(
      fixture.api.patch(`${path}/scale`, { spec: { replicas: -1 } }, 'merge'),
      422,
      'Invalid',
    );
    expect(body.message).toContain('spec.replicas: Invalid value: -1: must be greater than or equal to 0');
  });

  it('answers 404 for the scale of what is not there', async () => {
    const path = await prepared();
    await expectFailure(fixture.api.get(`${path}-none/scale`), 404, 'NotFound');
  });
}
