import { expect, it } from 'vitest';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap, deployment } from './objects.ts';

export function defineApply(fixture: Fixture): void {
  const configMapPath = async () => `/api/v1/namespaces/${await fixture.namespace()}/configmaps/a`;
  const apply = (path: string, manager: string, object: object, force = false) =>
    fixture.api.patch(`${path}?fieldManager=${manager}${force ? '&force=true' : ''}`, object, 'apply');

  it('creates what is not there', async () => {
    const path = await configMapPath();
    const body = await expectCode(apply(path, 'one', configMap('a', { k: 'v' })), 201);
    expect(body.data).toEqual({ k: 'v' });
    expect(body.metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        time: expect.stringMatching(/Z$/),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:k': {} } },
      },
    ]);
  });

  it('answers 200, and keeps the version, when the same is applied again', async () => {
    const path = await configMapPath();
    const first = await expectCode(apply(path, 'one', configMap('a', { k: 'v' })), 201);
    const second = await expectCode(apply(path, 'one', configMap('a', { k: 'v' })), 200);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it('removes a field that its only owner no longer applies', async () => {
    const path = await configMapPath();
    await expectCode(apply(path, 'one', configMap('a', { k: 'v', gone: 'g' })), 201);
    const body = await expectCode(apply(path, 'one', configMap('a', { k: 'v' })), 200);
    expect(body.data).toEqual({ k: 'v' });
  });

  it('keeps fields of others', async () => {
    const path = await configMapPath();
    await expectCode(apply(path, 'one', configMap('a', { one: '1' })), 201);
    const body = await expectCode(apply(path, 'two', configMap('a', { two: '2' })), 200);
    expect(body.data).toEqual({ one: '1', two: '2' });
    expect(body.metadata.managedFields.map(({ manager }) => manager)).toEqual(['one', 'two']);
  });

  it('keeps a field until its last owner lets it go', async () => {
    const path = await configMapPath();
    await expectCode(apply(path, 'one', configMap('a', { k: 'v' })), 201);
    await expectCode(apply(path, 'two', configMap('a', { k: 'v' })), 200);
    expect((await expectCode(apply(path, 'one', configMap('a')), 200)).data).toEqual({ k: 'v' });
    expect((await expectCode(apply(path, 'two', configMap('a')), 200)).data).toBeUndefined();
  });

  it('refuses to change a field of another manager and names both', async () => {
    const path = await configMapPath();
    await expectCode(apply(path, 'one', configMap('a', { k: 'v' })), 201);
    const body = await expectFailure(apply(path, 'two', configMap('a', { k: 'w' })), 409, 'Conflict');
    expect(body.message).toBe('Apply failed with 1 conflict: conflict with "one": .data.k');
    expect(body.details.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' },
    ]);
  });

  it('names every conflict', async () => {
    const path = await configMapPath();
    await expectCode(apply(path, 'one', configMap('a', { k: 'v', l: 'v' })), 201);
    const body = await expectFailure(apply(path, 'two', configMap('a', { k: 'w', l: 'w' })), 409, 'Conflict');
    expect(body.message).toBe('Apply failed with 2 conflicts: conflicts with "one":\n- .data.k\n- .data.l');
  });

  it('takes a field over by force', async () => {
    const path = await configMapPath();
    await expectCode(apply(path, 'one', configMap('a', { k: 'v' })), 201);
    const body = await expectCode(apply(path, 'two', configMap('a', { k: 'w' }), true), 200);
    expect(body.data).toEqual({ k: 'w' });
    expect(body.metadata.managedFields.map(({ manager }) => manager)).toEqual(['two']);
  });

  it('says with what an update by another client conflicts', async () => {
    const path = await configMapPath();
    await expectCode(apply(path, 'one', configMap('a', { k: 'v' })), 201);
    await expectCode(fixture.api.patch(`${path}?fieldManager=editor`, { data: { k: 'w' } }, 'merge'), 200);
    const body = await expectFailure(apply(path, 'one', configMap('a', { k: 'v' })), 409, 'Conflict');
    expect(body.message).toMatch(
      /^Apply failed with 1 conflict: conflict with "editor" using v1(?: at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)?: \.data\.k$/,
    );
  });

  it('needs a field manager, and a body that is an object', async () => {
    const path = await configMapPath();
    const body = await expectFailure(fixture.api.patch(path, configMap('a'), 'apply'), 422, 'Invalid');
    expect(body.message).toContain('fieldManager: Required value: is required for apply patch');
    await expectFailure(apply(path, 'one', []), 400, 'BadRequest');
  });

  it('refuses managed fields and another name in the applied object', async () => {
    const path = await configMapPath();
    const managed = configMap('a', {}, { managedFields: [{ manager: 'x', operation: 'Apply' }] });
    const body = await expectFailure(apply(path, 'one', managed), 400, 'BadRequest');
    expect(body.message).toBe('metadata.managedFields must be nil');
    await expectFailure(apply(path, 'one', configMap('b')), 400, 'BadRequest');
  });

  it('needs an apiVersion and a kind', async () => {
    const path = await configMapPath();
    await expectFailure(apply(path, 'one', { metadata: { name: 'a' } }), 400, 'BadRequest');
  });

  it('accepts YAML', async () => {
    const path = await configMapPath();
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: "v"}\n';
    const body = await expectCode(fixture.api.patch(`${path}?fieldManager=one`, text, 'apply'), 201);
    expect(body.data).toEqual({ k: 'v' });
  });

  it('records an update under the manager of the request with what it changed', async () => {
    const path = await configMapPath();
    const body = await expectCode(
      fixture.api.post(
        `${path.replace(/\/a$/, '')}?fieldManager=maker`,
        configMap('a', { k: 'v' }, { labels: { x: 'y' } }),
      ),
      201,
    );
    expect(body.metadata.managedFields).toMatchObject([
      {
        manager: 'maker',
        operation: 'Update',
        apiVersion: 'v1',
        fieldsV1: { 'f:data': { '.': {}, 'f:k': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } },
      },
    ]);
  });

  it('takes the manager of an update from the user agent when none is named', async () => {
    const path = await configMapPath();
    const headers = { 'user-agent': 'tester/v1 (linux) x' };
    const body = await expectCode(fixture.api.post(path.replace(/\/a$/, ''), configMap('a', { k: 'v' }), headers), 201);
    expect(body.metadata.managedFields.map(({ manager }) => manager)).toEqual(['tester']);
  });

  it('merges keyed lists element by element and records their keys', async () => {
    const path = `/apis/apps/v1/namespaces/${await fixture.namespace()}/deployments/a`;
    const withEnv = (env: readonly object[]) => {
      const object = deployment('a');
      const containers = [{ ...object.spec.template.spec.containers[0], env }];
      return { ...object, spec: { ...object.spec, template: { ...object.spec.template, spec: { containers } } } };
    };
    await expectCode(apply(path, 'one', withEnv([{ name: 'ONE', value: '1' }])), 201);
    const other = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: { template: { spec: { containers: [{ name: 'main', env: [{ name: 'TWO', value: '2' }] }] } } },
    };
    const body = await expectCode(apply(path, 'two', other), 200);
    expect(body.spec).toMatchObject({
      template: {
        spec: {
          containers: [
            {
              env: [
                { name: 'ONE', value: '1' },
                { name: 'TWO', value: '2' },
              ],
            },
          ],
        },
      },
    });
    const two = body.metadata.managedFields.find(({ manager }) => manager === 'two');
    expect(two?.['fieldsV1']).toEqual({
      'f:spec': {
        'f:template': {
          'f:spec': {
            'f:containers': {
              'k:{"name":"main"}': {
                '.': {},
                'f:env': { 'k:{"name":"TWO"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
                'f:name': {},
              },
            },
          },
        },
      },
    });
    const less = await expectCode(apply(path, 'one', withEnv([])), 200);
    expect(less.spec).toMatchObject({ template: { spec: { containers: [{ env: [{ name: 'TWO', value: '2' }] }] } } });
  });

  it('records a default in a list key and not what the server filled in', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/services/a`;
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };
    const body = await expectCode(apply(path, 'one', service), 201);
    expect(body.metadata.managedFields[0]?.['fieldsV1']).toEqual({
      'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
    });
  });

  it('takes an atomic map as one field', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/services/a`;
    const service = (selector: object) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      spec: { selector, ports: [{ port: 80 }] },
    });
    const body = await expectCode(apply(path, 'one', service({ x: 'y' })), 201);
    expect(body.metadata.managedFields[0]?.['fieldsV1']).toMatchObject({ 'f:spec': { 'f:selector': {} } });
    const refused = await expectFailure(apply(path, 'two', service({ z: 'y' })), 409, 'Conflict');
    expect(refused.message).toBe('Apply failed with 1 conflict: conflict with "one": .spec.selector');
  });

  it('applies to the status under its own subresource, apart from the rest', async () => {
    const path = `/apis/apps/v1/namespaces/${await fixture.namespace()}/deployments/a`;
    await expectCode(apply(path, 'one', { ...deployment('a'), spec: { ...deployment('a').spec, paused: true } }), 201);
    const status = { observedGeneration: 1, conditions: [{ type: 'Extra', status: 'True' }] };
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, status };
    const body = await expectCode(apply(`${path}/status`, 'writer', object, true), 200);
    expect(body['status']).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Extra' })]),
    });
    expect(body.metadata.managedFields.find(({ manager }) => manager === 'writer')).toMatchObject({
      operation: 'Apply',
      subresource: 'status',
      fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Extra"}': { 'f:type': {}, 'f:status': {} } } } },
    });
    expect(body.metadata.managedFields.find(({ manager }) => manager === 'one')).toMatchObject({ operation: 'Apply' });
  });

  it('forgets all managers when an update empties the list of managed fields', async () => {
    const path = await configMapPath();
    await expectCode(apply(path, 'one', configMap('a', { k: 'v' })), 201);
    const body = await expectCode(fixture.api.patch(path, { metadata: { managedFields: [{}] } }, 'merge'), 200);
    expect(body.metadata.managedFields).toBeUndefined();
  });
}
