import { expect, it } from 'vitest';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap } from './objects.ts';

export function defineDryRun(fixture: Fixture): void {
  const configMaps = async () => `/api/v1/namespaces/${await fixture.namespace()}/configmaps`;

  it('answers a create like a real one and stores nothing', async () => {
    const path = await configMaps();
    const body = await expectCode(fixture.api.post(`${path}?dryRun=All`, configMap('a', { k: 'v' })), 201);
    expect(body.metadata.uid).toMatch(/-/);
    expect(body.metadata.creationTimestamp).toMatch(/Z$/);
    expect(body.metadata.resourceVersion).toBeUndefined();
    await expectCode(fixture.api.get(`${path}/a`), 404);
  });

  it('answers an update and every patch with the result and changes nothing', async () => {
    const path = await configMaps();
    const made = await expectCode(fixture.api.post(path, configMap('a', { k: 'v' })), 201);
    const changes = [
      fixture.api.put(`${path}/a?dryRun=All`, { ...made, data: { k: 'w' } }),
      fixture.api.patch(`${path}/a?dryRun=All`, { data: { k: 'w' } }, 'merge'),
      fixture.api.patch(`${path}/a?dryRun=All`, { data: { k: 'w' } }, 'strategic'),
      fixture.api.patch(`${path}/a?dryRun=All`, [{ op: 'replace', path: '/data/k', value: 'w' }], 'json'),
      fixture.api.patch(`${path}/a?dryRun=All&fieldManager=m&force=true`, configMap('a', { k: 'w' }), 'apply'),
    ];
    for (const change of changes) {
      const body = await expectCode(change, 200);
      expect(body.data).toEqual({ k: 'w' });
      expect(body.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    }
    expect(await expectCode(fixture.api.get(`${path}/a`), 200)).toEqual(made);
  });

  it('answers a delete and deletes nothing', async () => {
    const path = await configMaps();
    await expectCode(fixture.api.post(path, configMap('a', {}, { labels: { x: 'y' } })), 201);
    await expectCode(fixture.api.delete(`${path}/a?dryRun=All`), 200);
    await expectCode(fixture.api.delete(`${path}/a`, { dryRun: ['All'] }), 200);
    await expectCode(fixture.api.delete(`${path}?dryRun=All&labelSelector=x%3Dy`), 200);
    const body = await expectCode(fixture.api.get(`${path}/a`), 200);
    expect(body.metadata.deletionTimestamp).toBeUndefined();
  });

  it('shows nothing to watchers', async () => {
    const path = await configMaps();
    const stream = await fixture.watch(`${path}?labelSelector=x%3Dy`);
    await expectCode(fixture.api.post(`${path}?dryRun=All`, configMap('dry', {}, { labels: { x: 'y' } })), 201);
    await expectCode(fixture.api.post(path, configMap('wet', {}, { labels: { x: 'y' } })), 201);
    expect((await stream.next()).object.metadata.name).toBe('wet');
  });

  it('finds the same faults as a real request', async () => {
    const path = await configMaps();
    await expectFailure(fixture.api.post(`${path}?dryRun=All`, configMap('NOT')), 422, 'Invalid');
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    await expectFailure(fixture.api.post(`${path}?dryRun=All`, configMap('a')), 409, 'AlreadyExists');
  });

  it('refuses a dryRun other than All', async () => {
    const path = await configMaps();
    const body = await expectFailure(fixture.api.post(`${path}?dryRun=Some`, configMap('a')), 422, 'Invalid');
    expect(body.message).toContain('dryRun: Unsupported value: ["Some"]: supported values: "All"');
  });
}
