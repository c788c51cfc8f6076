import { expect, it } from 'vitest';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap, deployment } from './objects.ts';

export function definePatch(fixture: Fixture): void {
  const prepared = async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/configmaps`;
    const body = await expectCode(
      fixture.api.post(path, configMap('a', { k: 'v', other: 'o' }, { labels: { x: 'y' } })),
      201,
    );
    return { path: `${path}/a`, body };
  };
  const preparedDeployment = async () => {
    const path = `/apis/apps/v1/namespaces/${await fixture.namespace()}/deployments`;
    const object = deployment('a');
    const env = [
      { name: 'ONE', value: '1' },
      { name: 'TWO', value: '2' },
    ];
    const containers = [{ ...object.spec.template.spec.containers[0], env, args: ['x', 'y'] }];
    const template = { ...object.spec.template, spec: { containers } };
    await expectCode(fixture.api.post(path, { ...object, spec: { ...object.spec, template } }), 201);
    return `${path}/a`;
  };
  const containersOf = (body: { spec: Readonly<Record<string, unknown>> }) =>
    (body.spec['template'] as { spec: { containers: readonly Record<string, unknown>[] } }).spec.containers;
  const envOf = (body: { spec: Readonly<Record<string, unknown>> }) =>
    (containersOf(body)[0] as { env: readonly { name: string; value: string }[] }).env;

  it('merges a merge patch, and removes what is null', async () => {
    const { path } = await prepared();
    const patch = { data: { k: 'w', other: null, added: '1' }, metadata: { labels: null } };
    const body = await expectCode(fixture.api.patch(path, patch, 'merge'), 200);
    expect(body.data).toEqual({ k: 'w', added: '1' });
    expect(body.metadata.labels).toBeUndefined();
  });

  it('applies the operations of a JSON patch in their order', async () => {
    const { path } = await prepared();
    const patch = [
      { op: 'test', path: '/data/k', value: 'v' },
      { op: 'replace', path: '/data/k', value: 'w' },
      { op: 'remove', path: '/data/other' },
      { op: 'copy', from: '/data/k', path: '/data/copied' },
      { op: 'move', from: '/data/copied', path: '/data/moved' },
    ];
    const answer = fixture.api.patch(path, patch, 'json');
    expect((await expectCode(answer, 200)).data).toEqual({ k: 'w', moved: 'w' });
  });

  it('escapes slashes in the paths of a JSON patch', async () => {
    const { path } = await prepared();
    const patch = [{ op: 'add', path: '/metadata/labels/example.test~1name', value: 'n' }];
    const body = await expectCode(fixture.api.patch(path, patch, 'json'), 200);
    expect(body.metadata.labels).toEqual({ x: 'y', 'example.test/name': 'n' });
  });

  it('answers 422 to a JSON patch whose test fails or whose path is not there', async () => {
    const { path } = await prepared();
    for (const operation of [
      { op: 'test', path: '/data/k', value: 'other' },
      { op: 'remove', path: '/data/none' },
    ])
      await expectFailure(fixture.api.patch(path, [operation], 'json'), 422, 'Invalid');
  });

  it('adds what a JSON patch wants to replace and does not find', async () => {
    const { path } = await prepared();
    const body = await expectCode(
      fixture.api.patch(path, [{ op: 'replace', path: '/data/none', value: 'x' }], 'json'),
      200,
    );
    expect(body.data).toMatchObject({ none: 'x' });
  });

  it('answers 400 to a JSON patch that is no list of operations', async () => {
    const { path } = await prepared();
    await expectFailure(fixture.api.patch(path, { op: 'test' }, 'json'), 400, 'BadRequest');
    await expectFailure(fixture.api.patch(path, '{"data":', 'merge'), 400, 'BadRequest');
  });

  it('answers 415 to a patch of an unknown type', async () => {
    const { path } = await prepared();
    const body = await expectFailure(fixture.api.patch(path, {}, 'application/json'), 415, 'UnsupportedMediaType');
    expect(body.message).toBe('415: Unsupported Media Type');
  });

  it('answers 409 to a patch that carries an old resourceVersion', async () => {
    const { path, body } = await prepared();
    await expectCode(fixture.api.patch(path, { data: { k: 'w' } }, 'merge'), 200);
    const { resourceVersion } = body.metadata;
    const patch = { metadata: { resourceVersion }, data: { k: 'x' } };
    await expectFailure(fixture.api.patch(path, patch, 'merge'), 409, 'Conflict');
  });

  it('keeps the version when a patch changes nothing', async () => {
    const { path, body } = await prepared();
    const patched = await expectCode(fixture.api.patch(path, { data: { k: 'v' } }, 'merge'), 200);
    expect(patched.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  it('does not let a patch change name, namespace or uid', async () => {
    const { path, body } = await prepared();
    const renamed = await expectFailure(
      fixture.api.patch(path, { metadata: { name: 'b' } }, 'merge'),
      400,
      'BadRequest',
    );
    expect(renamed.message).toBe('the name of the object (b) does not match the name on the URL (a)');
    const uid = '00000000-0000-4000-8000-000000000000';
    const other = await expectFailure(fixture.api.patch(path, { metadata: { uid } }, 'merge'), 422, 'Invalid');
    expect(other.message).toBe(`ConfigMap "a" is invalid: metadata.uid: Invalid value: "${uid}": field is immutable`);
    expect((await expectCode(fixture.api.get(path), 200)).metadata.uid).toBe(body.metadata.uid);
  });

  it('does not let a patch change kind or apiVersion', async () => {
    const { path } = await prepared();
    const body = await expectFailure(fixture.api.patch(path, { kind: 'Secret' }, 'merge'), 422, 'Invalid');
    expect(body.details.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: 'patch' }]);
  });

  it('merges lists of a strategic patch by their key', async () => {
    const path = await preparedDeployment();
    const env = [
      { name: 'TWO', value: 'two' },
      { name: 'THREE', value: '3' },
    ];
    const patch = { spec: { template: { spec: { containers: [{ name: 'main', env }] } } } };
    const body = await expectCode(fixture.api.patch(path, patch, 'strategic'), 200);
    const [container] = containersOf(body);
    expect(container).toMatchObject({ image: 'registry.test/app:1' });
    expect(
      envOf(body)
        .map(({ name, value }) => `${name}=${value}`)
        .sort(),
    ).toEqual(['ONE=1', 'THREE=3', 'TWO=two']);
  });

  it('replaces lists without a key as a whole in a strategic patch', async () => {
    const path = await preparedDeployment();
    const patch = { spec: { template: { spec: { containers: [{ name: 'main', args: ['z'] }] } } } };
    const body = await expectCode(fixture.api.patch(path, patch, 'strategic'), 200);
    expect(containersOf(body)[0]?.['args']).toEqual(['z']);
  });

  it('deletes an element of a keyed list by the $patch directive', async () => {
    const path = await preparedDeployment();
    const env = [{ name: 'ONE', $patch: 'delete' }];
    const patch = { spec: { template: { spec: { containers: [{ name: 'main', env }] } } } };
    const body = await expectCode(fixture.api.patch(path, patch, 'strategic'), 200);
    expect(containersOf(body)[0]?.['env']).toEqual([{ name: 'TWO', value: '2' }]);
  });

  it('replaces a map by the $patch directive', async () => {
    const { path } = await prepared();
    const body = await expectCode(
      fixture.api.patch(path, { data: { $patch: 'replace', only: '1' } }, 'strategic'),
      200,
    );
    expect(body.data).toEqual({ only: '1' });
  });

  it('keeps only the named keys of a map by $retainKeys', async () => {
    const path = await preparedDeployment();
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    const body = await expectCode(fixture.api.patch(path, patch, 'strategic'), 200);
    expect(body.spec['strategy']).toEqual({ type: 'Recreate' });
  });

  it('orders a keyed list by $setElementOrder and deletes from a set by $deleteFromPrimitiveList', async () => {
    const path = await preparedDeployment();
    await expectCode(fixture.api.patch(path, { metadata: { finalizers: ['a.test/x', 'a.test/y'] } }, 'merge'), 200);
    const patch = {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['a.test/x'] },
      spec: {
        template: {
          spec: {
            containers: [
              {
                name: 'main',
                '$setElementOrder/env': [{ name: 'TWO' }, { name: 'ZERO' }, { name: 'ONE' }],
                env: [{ name: 'ZERO', value: '0' }],
              },
            ],
          },
        },
      },
    };
    const body = await expectCode(fixture.api.patch(path, patch, 'strategic'), 200);
    expect(body.metadata.finalizers).toEqual(['a.test/y']);
    expect(envOf(body).map(({ name }) => name)).toEqual(['TWO', 'ZERO', 'ONE']);
    await expectCode(fixture.api.patch(path, { metadata: { finalizers: null } }, 'merge'), 200);
  });

  it('replaces lists as a whole in a merge patch', async () => {
    const path = await preparedDeployment();
    const containers = [{ name: 'other', image: 'registry.test/other:1' }];
    const body = await expectCode(
      fixture.api.patch(path, { spec: { template: { spec: { containers } } } }, 'merge'),
      200,
    );
    expect(containersOf(body).map(({ name }) => name)).toEqual(['other']);
  });

  it('refuses an unknown field of a patch under fieldValidation=Strict', async () => {
    const { path } = await prepared();
    const body = await expectFailure(
      fixture.api.patch(`${path}?fieldValidation=Strict`, { nothing: 1 }, 'merge'),
      422,
      'Invalid',
    );
    expect(body.message).toContain('unknown field "nothing"');
  });
}
