import { expect, it } from 'vitest';
import { createHttpClient } from '../support/http-client.ts';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap } from './objects.ts';

export function defineErrors(fixture: Fixture): void {
  const configMaps = async () => `/api/v1/namespaces/${await fixture.namespace()}/configmaps`;

  it('answers 401 to a token that it does not know', async () => {
    const stranger = createHttpClient({ ...fixture.target, token: 'unknown' });
    const body = await expectFailure(stranger.get('/api/v1/namespaces'), 401, 'Unauthorized');
    await stranger.close();
    expect(body.message).toBe('Unauthorized');
  });

  it('answers 403 to a request without a token, and names the user anonymous', async () => {
    const { url, caPem } = fixture.target;
    const anonymous = createHttpClient({ url, caPem });
    const body = await expectFailure(anonymous.get('/api/v1/namespaces'), 403, 'Forbidden');
    await anonymous.close();
    expect(body.message).toBe(
      'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
    );
  });

  it('answers 404 with a plain text or a Status to a path that does not exist', async () => {
    expect((await fixture.api.get('/nothing')).status).toBe(404);
    expect((await fixture.api.get('/api/v2')).status).toBe(404);
    const body = await expectFailure(fixture.api.get('/api/v1/nothings'), 404, 'NotFound');
    expect(body.message).toBe('the server could not find the requested resource');
  });

  it('answers 404 to a subresource that a resource does not have', async () => {
    const path = await configMaps();
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    expect((await fixture.api.get(`${path}/a/status`)).status).toBe(404);
  });

  it('answers 405 to a verb that a resource does not know', async () => {
    const path = await configMaps();
    const put = await expectFailure(fixture.api.put(path, configMap('a')), 405, 'MethodNotAllowed');
    expect(put.message).toBe('the server does not allow this method on the requested resource');
    await expectFailure(fixture.api.post(`${path}/a`, configMap('a')), 405, 'MethodNotAllowed');
  });

  it('answers 405 to a list of reviews, which can only be created', async () => {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    await expectFailure(fixture.api.get(path), 405, 'MethodNotAllowed');
  });

  it('answers 406 to a media type that it does not speak', async () => {
    const body = await expectFailure(
      fixture.api.get('/api/v1/namespaces', { accept: 'text/csv' }),
      406,
      'NotAcceptable',
    );
    expect(body.message).toMatch(/^406: Not Acceptable\n\nAvailable representations: application\/json, /);
  });

  it('answers 415 to a body of an unknown media type', async () => {
    const path = await configMaps();
    const answer = fixture.api.send('POST', path, { body: 'x', contentType: 'text/csv' });
    const body = await expectFailure(answer, 415, 'UnsupportedMediaType');
    expect(body.message).toMatch(
      /^the body of the request was in an unknown format - accepted media types include: application\/json/,
    );
  });

  it('answers 400 to a body that is not JSON', async () => {
    const body = await expectFailure(fixture.api.post(await configMaps(), '{"metadata":'), 400, 'BadRequest');
    expect(body.message).toContain('unexpected end of JSON input');
  });

  it('answers 400 to an empty body', async () => {
    await expectFailure(fixture.api.post(await configMaps(), ''), 400, 'BadRequest');
  });

  it('answers 400 to a body of another kind', async () => {
    const answer = fixture.api.post(await configMaps(), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } });
    const body = await expectFailure(answer, 400, 'BadRequest');
    expect(body.message).toBe(
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    );
  });

  it('answers 400 to a body of another group version', async () => {
    const answer = fixture.api.post(await configMaps(), { ...configMap('a'), apiVersion: 'apps/v1' });
    const body = await expectFailure(answer, 400, 'BadRequest');
    expect(body.message).toContain('no kind "ConfigMap" is registered for version "apps/v1"');
  });

  it('answers 400 to a field of the wrong type', async () => {
    const body = await expectFailure(
      fixture.api.post(await configMaps(), { metadata: { name: 'a' }, data: { k: 1 } }),
      400,
      'BadRequest',
    );
    expect(body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    );
  });

  it('answers 400 when the namespace of the body is not the one of the path', async () => {
    const body = await expectFailure(
      fixture.api.post(await configMaps(), configMap('a', {}, { namespace: 'other' })),
      400,
      'BadRequest',
    );
    expect(body.message).toBe('the namespace of the provided object does not match the namespace sent on the request');
  });

  it('answers 400 when the name of the body is not the one of the path', async () => {
    const path = await configMaps();
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    const body = await expectFailure(fixture.api.put(`${path}/a`, configMap('b')), 400, 'BadRequest');
    expect(body.message).toBe('the name of the object (b) does not match the name on the URL (a)');
  });

  it('answers 404 to a create in a namespace that does not exist', async () => {
    const path = '/api/v1/namespaces/no-such-namespace/configmaps';
    const body = await expectFailure(fixture.api.post(path, configMap('a')), 404, 'NotFound');
    expect(body.message).toBe('namespaces "no-such-namespace" not found');
    expect(body.details).toEqual({ name: 'no-such-namespace', kind: 'namespaces' });
  });

  it('lists nothing, without an error, in a namespace that does not exist', async () => {
    const body = await expectCode(fixture.api.get('/api/v1/namespaces/no-such-namespace/configmaps'), 200);
    expect(body.items).toEqual([]);
  });

  it('refuses a create across namespaces', async () => {
    const answer = fixture.api.post('/api/v1/configmaps', configMap('a'));
    await expectFailure(answer, 405, 'MethodNotAllowed');
  });

  it('answers 413 to a body of more than 3 MiB', async () => {
    const body = await expectFailure(
      fixture.api.post(await configMaps(), configMap('a', { k: 'x'.repeat(3 * 1024 * 1024) })),
      413,
      'RequestEntityTooLarge',
    );
    expect(body.message).toBe('Request entity too large: limit is 3145728');
  });

  it('refuses a ConfigMap of more than 1 MiB', async () => {
    const answer = fixture.api.post(await configMaps(), configMap('a', { k: 'x'.repeat(1024 * 1024 + 1) }));
    const body = await expectFailure(answer, 422, 'Invalid');
    expect(body.message).toBe('ConfigMap "a" is invalid: []: Too long: may not be more than 1048576 bytes');
  });

  it('knows no HEAD', async () => {
    const path = await configMaps();
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    expect((await fixture.api.head(`${path}/a`)).status).toBe(405);
  });

  it('answers 400 to query parameters that it cannot read', async () => {
    const path = await configMaps();
    for (const query of ['limit=x', 'labelSelector=%3D%3D', 'fieldSelector=metadata.nothing%3Da', 'timeoutSeconds=x'])
      await expectFailure(fixture.api.get(`${path}?${query}`), 400, 'BadRequest');
  });
}
