import { expect, it } from 'vitest';
import { jsonPatch } from '../support/webhook-server.ts';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap, pod } from './objects.ts';
import { configMapRule, installHook, namespaceForHooks, setLabel } from './webhook-fixture.ts';

export function defineWebhooks(fixture: Fixture): void {
  const prepared = () => namespaceForHooks(fixture);

  it('asks with everything that is known of the request', async () => {
    const { namespace, path } = await prepared();
    const hook = await installHook(fixture, { kind: 'Validating', namespace, answer: () => ({}) });
    await expectCode(fixture.api.post(`${path}?fieldManager=m`, configMap('a', { k: 'v' })), 201);
    expect(hook.requests).toHaveLength(1);
    expect(hook.requests[0]).toMatchObject({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'a',
      namespace,
      operation: 'CREATE',
      userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace }, data: { k: 'v' } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'm' },
    });
    expect(hook.requests[0]?.object?.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('changes an object by the JSON patch of a mutating hook', async () => {
    const { namespace, path } = await prepared();
    await installHook(fixture, { kind: 'Mutating', namespace, answer: () => setLabel('hooked') });
    const body = await expectCode(fixture.api.post(path, configMap('a')), 201);
    expect(body.metadata.labels).toEqual({ hooked: 'yes' });
  });

  it('refuses with the code, the reason and the message of a hook', async () => {
    const { namespace, path } = await prepared();
    const status = { code: 418, reason: 'Teapot', message: 'no coffee' };
    await installHook(fixture, { kind: 'Validating', namespace, answer: () => ({ allowed: false, status }) });
    const body = await expectCode(fixture.api.post(path, configMap('a')), 418);
    expect(body).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      message: 'admission webhook "hook0.example.test" denied the request: no coffee',
      reason: 'Teapot',
      code: 418,
    });
    await expectCode(fixture.api.get(`${path}/a`), 404);
  });

  it('passes the warnings of hooks on, also of those that refuse', async () => {
    const { namespace, path } = await prepared();
    await installHook(fixture, {
      kind: 'Validating',
      namespace,
      answer: ({ name }) => ({ allowed: name === 'a', warnings: ['first', 'second'] }),
    });
    expect((await fixture.api.post(path, configMap('a'))).warnings).toEqual(['first', 'second']);
    expect((await fixture.api.post(path, configMap('b'))).warnings).toEqual(['first', 'second']);
  });

  it('shows a hook the old and the new object of an update, and the old one of a delete', async () => {
    const { namespace, path } = await prepared();
    const hook = await installHook(fixture, { kind: 'Validating', namespace, answer: () => ({}) });
    await expectCode(fixture.api.post(path, configMap('a', { k: 'v' })), 201);
    await expectCode(fixture.api.patch(`${path}/a`, { data: { k: 'w' } }, 'merge'), 200);
    await expectCode(fixture.api.delete(`${path}/a`), 200);
    const [, update, deletion] = hook.requests;
    expect(update).toMatchObject({
      operation: 'UPDATE',
      object: { data: { k: 'w' } },
      oldObject: { data: { k: 'v' } },
      options: { kind: 'UpdateOptions' },
    });
    expect(deletion).toMatchObject({
      operation: 'DELETE',
      name: 'a',
      object: null,
      oldObject: { data: { k: 'w' } },
      options: { kind: 'DeleteOptions' },
    });
  });

  it('lets a hook refuse a delete', async () => {
    const { namespace, path } = await prepared();
    await installHook(fixture, {
      kind: 'Validating',
      namespace,
      answer: ({ operation }) => ({
        allowed: operation !== 'DELETE',
        status: { code: 403, reason: 'Forbidden', message: 'stays' },
      }),
    });
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    await expectFailure(fixture.api.delete(`${path}/a`), 403, 'Forbidden');
    await expectFailure(fixture.api.delete(`${path}?fieldSelector=metadata.name%3Da`), 403, 'Forbidden');
    await expectCode(fixture.api.get(`${path}/a`), 200);
  });

  it('marks a request to a webhook as a dry run', async () => {
    const { namespace, path } = await prepared();
    const hook = await installHook(fixture, { kind: 'Mutating', namespace, answer: () => setLabel('hooked') });
    const body = await expectCode(fixture.api.post(`${path}?dryRun=All`, configMap('a')), 201);
    expect(hook.requests[0]?.dryRun).toBe(true);
    expect(body.metadata.labels).toEqual({ hooked: 'yes' });
  });

  it('calls mutating hooks before validating ones, each with the result of the former', async () => {
    const { namespace, path } = await prepared();
    const seen: string[] = [];
    const label = (name: string) => jsonPatch([{ op: 'add', path: `/metadata/labels/${name}`, value: 'yes' }]);
    await installHook(fixture, {
      kind: 'Validating',
      namespace,
      answer: ({ object }) => {
        seen.push(`validating ${Object.keys(object?.metadata.labels ?? {}).sort()}`);
        return {};
      },
    });
    await installHook(fixture, {
      kind: 'Mutating',
      namespace,
      webhooks: [{}, {}],
      answer: ({ object }, path) => {
        seen.push(`mutating ${path} ${Object.keys(object?.metadata.labels ?? {}).sort()}`);
        return label(path === '/0' ? 'zero' : 'one');
      },
    });
    await expectCode(fixture.api.post(path, configMap('a', {}, { labels: { given: 'yes' } })), 201);
    expect(seen).toEqual(['mutating /0 given', 'mutating /1 given,zero', 'validating given,one,zero']);
  });

  it('calls the hooks of several configurations in the order of their names', async () => {
    const { namespace, path } = await prepared();
    const seen: string[] = [];
    for (const letter of ['b', 'a'])
      await installHook(fixture, {
        kind: 'Mutating',
        namespace,
        name: `${letter}.${namespace}.test`,
        answer: () => {
          seen.push(letter);
          return {};
        },
      });
    await expectCode(fixture.api.post(path, configMap('x')), 201);
    expect(seen).toEqual(['a', 'b']);
  });

  it('calls a mutating hook again, once, when a later one changed the object and the hook wants it', async () => {
    const { namespace, path } = await prepared();
    const seen: string[] = [];
    await installHook(fixture, {
      kind: 'Mutating',
      namespace,
      webhooks: [{ reinvocationPolicy: 'IfNeeded' }, { reinvocationPolicy: 'Never' }],
      answer: (_, path) => {
        seen.push(path);
        return path === '/1' ? setLabel('one') : {};
      },
    });
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    expect(seen).toEqual(['/0', '/1', '/0']);
  });

  it('does not call a mutating hook again when nothing changed after it', async () => {
    const { namespace, path } = await prepared();
    const hook = await installHook(fixture, {
      kind: 'Mutating',
      namespace,
      webhooks: [{ reinvocationPolicy: 'IfNeeded' }],
      answer: () => setLabel('zero'),
    });
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    expect(hook.requests).toHaveLength(1);
  });

  it('fills in defaults after a mutating hook', async () => {
    const { namespace } = await prepared();
    const rules = [configMapRule, { ...configMapRule, resources: ['pods'] }];
    const value = { name: 'side', image: 'registry.test/side:1' };
    const answer = () => jsonPatch([{ op: 'add', path: '/spec/containers/-', value }]);
    await installHook(fixture, { kind: 'Mutating', namespace, answer, webhooks: [{ rules }] });
    const body = await expectCode(fixture.api.post(`/api/v1/namespaces/${namespace}/pods`, pod('a')), 201);
    expect(body.spec['containers']).toMatchObject([
      { name: 'main' },
      { name: 'side', imagePullPolicy: 'IfNotPresent' },
    ]);
  });
}
