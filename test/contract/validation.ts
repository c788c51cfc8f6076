import { expect, it } from 'vitest';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap, deployment, pod } from './objects.ts';

export function defineValidation(fixture: Fixture): void {
  const paths = async () => {
    const namespace = await fixture.namespace();
    return {
      configMaps: `/api/v1/namespaces/${namespace}/configmaps`,
      pods: `/api/v1/namespaces/${namespace}/pods`,
      deployments: `/apis/apps/v1/namespaces/${namespace}/deployments`,
    };
  };

  it('refuses a name that is no DNS subdomain and says which rule it breaks', async () => {
    const { configMaps } = await paths();
    const body = await expectFailure(fixture.api.post(configMaps, configMap('Not_A_Name')), 422, 'Invalid');
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    expect(body.message).toBe(`ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": ${rule}`);
    expect(body.details).toEqual({
      name: 'Not_A_Name',
      kind: 'ConfigMap',
      causes: [
        { reason: 'FieldValueInvalid', message: `Invalid value: "Not_A_Name": ${rule}`, field: 'metadata.name' },
      ],
    });
  });

  it('refuses an object that has neither a name nor a generateName', async () => {
    const { configMaps } = await paths();
    const body = await expectFailure(fixture.api.post(configMaps, { metadata: {} }), 422, 'Invalid');
    expect(body.message).toBe(
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    );
  });

  it('refuses labels that are not well formed', async () => {
    const { configMaps } = await paths();
    const labels = { 'bad key': 'v', good: 'bad value!' };
    const body = await expectFailure(fixture.api.post(configMaps, configMap('a', {}, { labels })), 422, 'Invalid');
    expect(body.details.causes.map(({ field }) => field)).toEqual(['metadata.labels', 'metadata.labels']);
  });

  it('refuses annotations of more than 256 KiB', async () => {
    const { configMaps } = await paths();
    const annotations = { a: 'x'.repeat(256 * 1024) };
    const body = await expectFailure(fixture.api.post(configMaps, configMap('a', {}, { annotations })), 422, 'Invalid');
    expect(body.message).toBe(
      'ConfigMap "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
    );
  });

  it('refuses a pod without containers', async () => {
    const { pods } = await paths();
    const body = await expectFailure(fixture.api.post(pods, { ...pod('a'), spec: { containers: [] } }), 422, 'Invalid');
    expect(body.message).toBe('Pod "a" is invalid: spec.containers: Required value');
    expect(body.details.causes).toEqual([
      { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers' },
    ]);
  });

  it('refuses a container without an image in a Deployment, with the path to it', async () => {
    const { deployments } = await paths();
    const object = deployment('a');
    object.spec.template.spec = { containers: [{ name: 'main', image: '' }] };
    const body = await expectFailure(fixture.api.post(deployments, object), 422, 'Invalid');
    expect(body.details.causes.map(({ field }) => field)).toEqual(['spec.template.spec.containers[0].image']);
  });

  it('refuses a Deployment whose selector does not match its own pods', async () => {
    const { deployments } = await paths();
    const object = {
      ...deployment('a'),
      spec: { ...deployment('a').spec, selector: { matchLabels: { app: 'other' } } },
    };
    const body = await expectFailure(fixture.api.post(deployments, object), 422, 'Invalid');
    expect(body.message).toBe(
      'Deployment.apps "a" is invalid: spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    );
  });

  it("refuses to change a Deployment's selector", async () => {
    const { deployments } = await paths();
    await expectCode(fixture.api.post(deployments, deployment('a')), 201);
    const labels = { app: 'b' };
    const spec = {
      ...deployment('a').spec,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: pod('a').spec },
    };
    const body = await expectFailure(fixture.api.put(`${deployments}/a`, { ...deployment('a'), spec }), 422, 'Invalid');
    expect(body.details.causes.map(({ field }) => field)).toEqual(['spec.selector']);
    expect(body.message).toContain('field is immutable');
  });

  it("lets an update change a pod's image and nothing else of its containers", async () => {
    const { pods } = await paths();
    await expectCode(fixture.api.post(pods, pod('a')), 201);
    const change = (container: object) =>
      fixture.api.patch(`${pods}/a`, { spec: { containers: [{ name: 'main', ...container }] } }, 'strategic');
    const changed = await expectCode(change({ image: 'registry.test/app:2' }), 200);
    expect(changed.spec).toMatchObject({ containers: [{ image: 'registry.test/app:2' }] });
    const body = await expectFailure(change({ command: ['other'] }), 422, 'Invalid');
    expect(body.message).toContain('spec: Forbidden: pod updates may not change fields other than');
  });

  it('ignores an unknown field of a built-in kind but warns of it', async () => {
    const { configMaps } = await paths();
    const answer = await fixture.api.post(configMaps, { ...configMap('a'), nothing: 1 });
    const body = await expectCode(answer, 201);
    expect(body['nothing']).toBeUndefined();
    expect(answer.warnings).toEqual(['unknown field "nothing"']);
  });

  it('says nothing of an unknown field under fieldValidation=Ignore', async () => {
    const { configMaps } = await paths();
    const answer = await fixture.api.post(`${configMaps}?fieldValidation=Ignore`, { ...configMap('a'), nothing: 1 });
    await expectCode(answer, 201);
    expect(answer.warnings).toEqual([]);
  });

  it('refuses an unknown field under fieldValidation=Strict, with its path', async () => {
    const { pods } = await paths();
    const object = pod('a');
    const spec = { containers: [{ ...object.spec.containers[0], nothing: 1 }], other: true };
    const answer = fixture.api.post(`${pods}?fieldValidation=Strict`, { ...object, spec });
    const body = await expectFailure(answer, 400, 'BadRequest');
    expect(body.message).toBe(
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].nothing", unknown field "spec.other"',
    );
  });

  it('refuses a repeated field under fieldValidation=Strict and otherwise takes the last', async () => {
    const { configMaps } = await paths();
    const twice = '{"metadata":{"name":"a"},"data":{"k":"1"},"data":{"k":"2"}}';
    const body = await expectFailure(
      fixture.api.post(`${configMaps}?fieldValidation=Strict`, twice),
      400,
      'BadRequest',
    );
    expect(body.message).toContain('strict decoding error: duplicate field "data"');
    const answer = await fixture.api.post(configMaps, twice);
    expect((await expectCode(answer, 201)).data).toEqual({ k: '2' });
    expect(answer.warnings).toEqual(['duplicate field "data"']);
  });

  it('refuses a fieldValidation that it does not know', async () => {
    const { configMaps } = await paths();
    await expectFailure(fixture.api.post(`${configMaps}?fieldValidation=Maybe`, configMap('a')), 422, 'Invalid');
  });

  it('refuses an owner reference that lacks a uid', async () => {
    const { configMaps } = await paths();
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x' }];
    const answer = fixture.api.post(configMaps, configMap('a', {}, { ownerReferences }));
    const body = await expectFailure(answer, 422, 'Invalid');
    expect(body.details.causes.map(({ field }) => field)).toEqual(['metadata.ownerReferences.uid']);
  });

  it('refuses a finalizer without a domain', async () => {
    const { configMaps } = await paths();
    const answer = fixture.api.post(configMaps, configMap('a', {}, { finalizers: ['nodomain'] }));
    const body = await expectFailure(answer, 422, 'Invalid');
    expect(body.message).toContain('metadata.finalizers[0]');
  });
}
