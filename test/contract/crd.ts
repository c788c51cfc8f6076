import { expect, it } from 'vitest';
import { eventually } from '../support/wait.ts';
import { defineWidgets, widget } from './crd-fixture.ts';
import { expectCode, expectFailure, type Fixture, namesOf } from './fixture.ts';
import { crd, openSchema } from './objects.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const specSchema = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...(required.length > 0 ? { required } : {}) } },
});

export function defineCrd(fixture: Fixture): void {
  const prepared = async (schema: object, version: object = {}) => {
    const defined = await defineWidgets(fixture, { schema, version });
    return { ...defined, collection: defined.path(await fixture.namespace()) };
  };

  it('establishes a definition: names accepted, conditions, storage versions, and names filled in', async () => {
    const { definitionPath, group } = await defineWidgets(fixture);
    const body = await expectCode(fixture.api.get(definitionPath), 200);
    expect(body['status']).toMatchObject({
      acceptedNames: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      storedVersions: ['v1'],
      conditions: [
        { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
    });
    expect(body.spec).toMatchObject({ group, conversion: { strategy: 'None' } });
    expect(body.metadata.generation).toBe(1);
  });

  it('shows the new group in discovery', async () => {
    const { group } = await defineWidgets(fixture, { version: { subresources: { status: {} } } });
    await eventually(async () => {
      const body = await expectCode(fixture.api.get(`/apis/${group}/v1`), 200);
      expect(body).toMatchObject({
        groupVersion: `${group}/v1`,
        resources: [
          {
            name: 'widgets',
            singularName: 'widget',
            namespaced: true,
            kind: 'Widget',
            verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
          },
          { name: 'widgets/status', namespaced: true, kind: 'Widget', verbs: ['get', 'patch', 'update'] },
        ],
      });
      const { groups } = (await expectCode(fixture.api.get('/apis'), 200)) as unknown as { groups: { name: string }[] };
      expect(groups.map(({ name }) => name)).toContain(group);
    });
  });

  it('publishes the schema under /openapi/v3', async () => {
    const { group } = await defineWidgets(fixture);
    await eventually(async () => {
      const body = await expectCode(fixture.api.get(`/openapi/v3/apis/${group}/v1`), 200);
      const { schemas } = body['components'] as { schemas: Record<string, unknown> };
      expect(Object.values(schemas)).toContainEqual(
        expect.objectContaining({ 'x-kubernetes-group-version-kind': [{ group, version: 'v1', kind: 'Widget' }] }),
      );
    });
  });

  it('creates, gets, lists, updates, watches and deletes custom resources', async () => {
    const { group, collection } = await prepared(openSchema);
    const made = await expectCode(fixture.api.post(collection, widget(group, 'a', { spec: { any: [1, 'two'] } })), 201);
    expect(made).toMatchObject({ apiVersion: `${group}/v1`, kind: 'Widget', spec: { any: [1, 'two'] } });
    expect(made.metadata.generation).toBe(1);
    expect(await expectCode(fixture.api.get(`${collection}/a`), 200)).toEqual(made);
    const list = await expectCode(fixture.api.get(collection), 200);
    expect(list).toMatchObject({
      kind: 'WidgetList',
      apiVersion: `${group}/v1`,
      items: [{ kind: 'Widget', apiVersion: `${group}/v1` }],
    });
    const stream = await fixture.watch(`${collection}?resourceVersion=${list.metadata.resourceVersion}`);
    await expectCode(fixture.api.put(`${collection}/a`, { ...made, spec: { any: 2 } }), 200);
    expect(await stream.next()).toMatchObject({
      type: 'MODIFIED',
      object: { metadata: { generation: 2 }, spec: { any: 2 } },
    });
    const deleted = await expectCode(fixture.api.delete(`${collection}/a`), 200);
    expect(deleted).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'a', group, kind: 'widgets' },
    });
  });

  it('needs the resourceVersion in an update of a custom resource', async () => {
    const { group, collection } = await prepared(openSchema);
    await expectCode(fixture.api.post(collection, widget(group, 'a')), 201);
    const body = await expectFailure(
      fixture.api.put(`${collection}/a`, widget(group, 'a', { spec: { x: 1 } })),
      422,
      'Invalid',
    );
    expect(body.message).toContain('metadata.resourceVersion: Invalid value: 0: must be specified for an update');
  });

  it('needs kind and apiVersion in a custom resource', async () => {
    const { group, collection } = await prepared(openSchema);
    await expectFailure(fixture.api.post(collection, { metadata: { name: 'a' } }), 400, 'BadRequest');
    const other = { ...widget(group, 'a'), kind: 'Gadget' };
    const body = await expectFailure(fixture.api.post(collection, other), 422, 'Invalid');
    expect(body.message).toBe(`Gadget.${group} "a" is invalid: kind: Invalid value: "Gadget": must be Widget`);
  });

  it('moves the generation with everything but metadata when there is no status subresource', async () => {
    const { group, collection } = await prepared(openSchema);
    await expectCode(fixture.api.post(collection, widget(group, 'a', { status: { s: 1 } })), 201);
    const labelled = await expectCode(
      fixture.api.patch(`${collection}/a`, { metadata: { labels: { x: 'y' } } }, 'merge'),
      200,
    );
    expect(labelled.metadata.generation).toBe(1);
    const changed = await expectCode(fixture.api.patch(`${collection}/a`, { status: { s: 2 } }, 'merge'), 200);
    expect(changed.metadata.generation).toBe(2);
    expect((await fixture.api.get(`${collection}/a/status`)).status).toBe(404);
  });

  it('keeps status and spec apart when there is a status subresource', async () => {
    const { group, collection } = await prepared(openSchema, { subresources: { status: {} } });
    const made = await expectCode(
      fixture.api.post(collection, widget(group, 'a', { spec: { x: 1 }, status: { s: 1 } })),
      201,
    );
    expect(made['status']).toBeUndefined();
    const written = await expectCode(
      fixture.api.put(`${collection}/a/status`, { ...made, spec: { x: 2 }, status: { s: 2 } }),
      200,
    );
    expect(written).toMatchObject({ spec: { x: 1 }, status: { s: 2 }, metadata: { generation: 1 } });
    const updated = await expectCode(
      fixture.api.put(`${collection}/a`, { ...written, spec: { x: 3 }, status: { s: 3 } }),
      200,
    );
    expect(updated).toMatchObject({ spec: { x: 3 }, status: { s: 2 }, metadata: { generation: 2 } });
  });

  it('answers 415 to a strategic patch of a custom resource, but takes the other patches', async () => {
    const { group, collection } = await prepared(openSchema);
    await expectCode(fixture.api.post(collection, widget(group, 'a', { spec: { x: 1 } })), 201);
    const body = await expectFailure(
      fixture.api.patch(`${collection}/a`, {}, 'strategic'),
      415,
      'UnsupportedMediaType',
    );
    expect(body.message).toContain(
      'accepted media types include: application/json-patch+json, application/merge-patch+json',
    );
    await expectCode(fixture.api.patch(`${collection}/a`, { spec: { x: 2 } }, 'merge'), 200);
    await expectCode(fixture.api.patch(`${collection}/a`, [{ op: 'replace', path: '/spec/x', value: 3 }], 'json'), 200);
  });

  it('serves one object in all versions, and stores it in one', async () => {
    const version = (name: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: openSchema },
    });
    const { group, path } = await defineWidgets(fixture, {
      versions: [version('v1', true), version('v1beta1', false)],
    });
    const namespace = await fixture.namespace();
    await expectCode(fixture.api.post(path(namespace), widget(group, 'a', { spec: { x: 1 } })), 201);
    const old = await expectCode(fixture.api.get(`${path(namespace, 'v1beta1')}/a`), 200);
    expect(old).toMatchObject({ apiVersion: `${group}/v1beta1`, spec: { x: 1 } });
    const discovered = await expectCode(fixture.api.get(`/apis/${group}`), 200);
    expect(discovered).toMatchObject({
      preferredVersion: { version: 'v1' },
      versions: [{ version: 'v1' }, { version: 'v1beta1' }],
    });
    const stream = await fixture.watch(path(namespace, 'v1beta1'));
    expect((await stream.next()).object.apiVersion).toBe(`${group}/v1beta1`);
  });

  it('answers 404 in a version that is not served', async () => {
    const version = (name: string, storage: boolean) => ({
      name,
      served: storage,
      storage,
      schema: { openAPIV3Schema: openSchema },
    });
    const { path } = await defineWidgets(fixture, { versions: [version('v1', true), version('v1beta1', false)] });
    expect((await fixture.api.get(path(undefined, 'v1beta1'))).status).toBe(404);
  });

  it('serves resources of the whole cluster outside of namespaces', async () => {
    const { group, path } = await defineWidgets(fixture, { scope: 'Cluster' });
    await expectCode(fixture.api.post(path(), widget(group, 'a')), 201);
    const body = await expectCode(fixture.api.get(path()), 200);
    expect(namesOf(body)).toEqual(['a']);
    expect(body.items[0]?.metadata.namespace).toBeUndefined();
    expect((await fixture.api.get(path('default'))).status).toBe(404);
  });

  it('scales by the paths that the scale subresource names', async () => {
    const subresources = {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    };
    const { group, collection } = await prepared(openSchema, { subresources });
    await expectCode(fixture.api.post(collection, widget(group, 'a', { spec: { replicas: 2 } })), 201);
    await expectCode(
      fixture.api.patch(`${collection}/a/status`, { status: { replicas: 1, selector: 'x=y' } }, 'merge'),
      200,
    );
    const scale = await expectCode(fixture.api.get(`${collection}/a/scale`), 200);
    expect(scale).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'x=y' },
    });
    await expectCode(fixture.api.put(`${collection}/a/scale`, { ...scale, spec: { replicas: 5 } }), 200);
    expect((await expectCode(fixture.api.get(`${collection}/a`), 200)).spec).toEqual({ replicas: 5 });
  });

  it('selects custom resources by the fields that the definition names', async () => {
    const { group, collection } = await prepared(specSchema({ color: { type: 'string' } }), {
      selectableFields: [{ jsonPath: '.spec.color' }],
    });
    for (const color of ['red', 'blue'])
      await expectCode(fixture.api.post(collection, widget(group, color, { spec: { color } })), 201);
    const body = await expectCode(fixture.api.get(`${collection}?fieldSelector=spec.color%3Dblue`), 200);
    expect(namesOf(body)).toEqual(['blue']);
  });

  it('deletes the resources of a definition with it', async () => {
    const { group, path, definitionPath } = await defineWidgets(fixture);
    const namespace = await fixture.namespace();
    await expectCode(fixture.api.post(path(namespace), widget(group, 'a')), 201);
    const stream = await fixture.watch(`${path(namespace)}?resourceVersion=0`);
    expect((await stream.next()).type).toBe('ADDED');
    const body = await expectCode(fixture.api.delete(definitionPath), 200);
    expect(body.metadata.finalizers ?? ['customresourcecleanup.apiextensions.k8s.io']).toEqual([
      'customresourcecleanup.apiextensions.k8s.io',
    ]);
    expect((await stream.next()).type).toBe('DELETED');
    await eventually(() => expectCode(fixture.api.get(definitionPath), 404));
    await eventually(async () => expect((await fixture.api.get(path(namespace))).status).toBe(404));
  });

  it('refuses a definition whose name is not plural.group', async () => {
    const group = `${fixture.unique('crd')}.test`;
    const object = { ...crd({ group, plural: 'widgets', kind: 'Widget' }), metadata: { name: `others.${group}` } };
    const body = await expectFailure(fixture.api.post(definitions, object), 422, 'Invalid');
    expect(body.message).toContain('must be spec.names.plural+"."+spec.group');
  });

  it('refuses a schema that is not structural', async () => {
    const group = `${fixture.unique('crd')}.test`;
    const schema = { type: 'object', properties: { spec: { properties: { x: { type: 'string' } } } } };
    const object = crd({ group, plural: 'widgets', kind: 'Widget', schema });
    const body = await expectFailure(fixture.api.post(definitions, object), 422, 'Invalid');
    expect(body.message).toContain(
      '.properties[spec].type: Required value: must not be empty for specified object fields',
    );
  });

  it('refuses a definition without a storage version', async () => {
    const group = `${fixture.unique('crd')}.test`;
    const object = crd({ group, plural: 'widgets', kind: 'Widget', version: { storage: false } });
    const body = await expectFailure(fixture.api.post(definitions, object), 422, 'Invalid');
    expect(body.message).toContain('must have exactly one version marked as storage version');
  });
}
