import { expect, it } from 'vitest';
import { expectCode, type Fixture } from './fixture.ts';
import { pod } from './objects.ts';

export function defineReviews(fixture: Fixture): void {
  it('answers a SelfSubjectAccessReview of the administrator with yes', async () => {
    const spec = { resourceAttributes: { verb: 'delete', resource: 'nodes' } };
    const body = await expectCode(
      fixture.api.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec }),
      201,
    );
    expect(body).toMatchObject({ kind: 'SelfSubjectAccessReview', spec, status: { allowed: true } });
  });

  it('returns the requesting user in a SelfSubjectReview', async () => {
    const body = await expectCode(fixture.api.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}), 201);
    expect(body['status']).toMatchObject({
      userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    });
  });

  it('returns the user of a token in a TokenReview', async () => {
    const path = '/apis/authentication.k8s.io/v1/tokenreviews';
    const known = await expectCode(fixture.api.post(path, { spec: { token: fixture.target.token } }), 201);
    expect(known['status']).toMatchObject({ authenticated: true, user: { username: 'admin' } });
    const unknown = await expectCode(fixture.api.post(path, { spec: { token: 'unknown' } }), 201);
    expect(unknown['status']).not.toMatchObject({ authenticated: true });
  });

  it('evicts a pod', async () => {
    const namespace = await fixture.namespace();
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await expectCode(fixture.api.post(path, pod('a')), 201);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a', namespace } };
    const body = await expectCode(fixture.api.post(`${path}/a/eviction`, eviction), 201);
    expect(body).toMatchObject({ kind: 'Status', status: 'Success' });
    await expectCode(fixture.api.get(`${path}/a`), 404);
  });
}
