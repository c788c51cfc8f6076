import { expect, it } from 'vitest';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap, deployment, pod } from './objects.ts';
import { configMapRule, installHook, namespaceForHooks } from './webhook-fixture.ts';

export function defineWebhookRules(fixture: Fixture): void {
  const prepared = () => namespaceForHooks(fixture);

  it('calls a hook only for the operations and resources of its rules', async () => {
    const { namespace, path } = await prepared();
    const rules = [{ ...configMapRule, operations: ['CREATE'] }];
    const hook = await installHook(fixture, {
      kind: 'Validating',
      namespace,
      answer: () => ({}),
      webhooks: [{ rules }],
    });
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    await expectCode(fixture.api.patch(`${path}/a`, { data: { k: 'w' } }, 'merge'), 200);
    await expectCode(fixture.api.post(path.replace('configmaps', 'secrets'), { metadata: { name: 's' } }), 201);
    expect(hook.requests.map(({ operation, name }) => `${operation} ${name}`)).toEqual(['CREATE a']);
  });

  it('calls a hook for the subresources that its rules name', async () => {
    const { namespace } = await prepared();
    const rules = [
      configMapRule,
      { ...configMapRule, apiGroups: ['*'], apiVersions: ['*'], resources: ['pods/status', 'deployments/scale'] },
    ];
    const hook = await installHook(fixture, {
      kind: 'Validating',
      namespace,
      answer: () => ({}),
      webhooks: [{ rules }],
    });
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    await expectCode(fixture.api.post(pods, pod('a')), 201);
    await expectCode(fixture.api.patch(`${pods}/a`, { metadata: { labels: { x: 'y' } } }, 'merge'), 200);
    await expectCode(fixture.api.patch(`${pods}/a/status`, { status: { message: 'm' } }, 'merge'), 200);
    const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await expectCode(
      fixture.api.post(deployments, { ...deployment('a'), spec: { ...deployment('a').spec, paused: true } }),
      201,
    );
    await expectCode(fixture.api.patch(`${deployments}/a/scale`, { spec: { replicas: 1 } }, 'merge'), 200);
    // A patch that meets a write of the controller is tried again, and the hook is asked again.
    const seen = hook.requests.filter(({ object }) => object?.kind === 'Pod');
    seen.push(...hook.requests.filter(({ object }) => object?.kind === 'Scale').slice(0, 1));
    expect(hook.requests.every(({ subResource }) => subResource !== undefined)).toBe(true);
    expect(seen).toMatchObject([
      { operation: 'UPDATE', subResource: 'status', object: { kind: 'Pod', status: { message: 'm' } } },
      { operation: 'UPDATE', subResource: 'scale', object: { kind: 'Scale', spec: { replicas: 1 } } },
    ]);
  });

  it('calls a hook only for objects that its selector matches, before or after the change', async () => {
    const { namespace, path } = await prepared();
    const objectSelector = { matchLabels: { watched: 'yes' } };
    const hook = await installHook(fixture, {
      kind: 'Validating',
      namespace,
      answer: () => ({}),
      webhooks: [{ objectSelector }],
      probeLabels: { watched: 'yes' },
    });
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    expect(hook.requests).toHaveLength(0);
    await expectCode(fixture.api.patch(`${path}/a`, { metadata: { labels: { watched: 'yes' } } }, 'merge'), 200);
    await expectCode(fixture.api.patch(`${path}/a`, { metadata: { labels: null } }, 'merge'), 200);
    await expectCode(fixture.api.patch(`${path}/a`, { data: { k: 'v' } }, 'merge'), 200);
    expect(hook.requests).toHaveLength(2);
  });

  it('calls a hook only in namespaces that its selector matches', async () => {
    const { namespace, path } = await prepared();
    const other = await prepared();
    const hook = await installHook(fixture, { kind: 'Validating', namespace, answer: () => ({}) });
    await expectCode(fixture.api.post(other.path, configMap('a')), 201);
    await expectCode(fixture.api.post(path, configMap('b')), 201);
    expect(hook.requests.map(({ name }) => name)).toEqual(['b']);
  });

  it('calls a hook only when its match conditions hold', async () => {
    const { namespace, path } = await prepared();
    const matchConditions = [{ name: 'no-b', expression: 'object == null || object.metadata.name != "b"' }];
    const hook = await installHook(fixture, {
      kind: 'Validating',
      namespace,
      answer: () => ({}),
      webhooks: [{ matchConditions }],
    });
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    await expectCode(fixture.api.post(path, configMap('b')), 201);
    expect(hook.requests.map(({ name }) => name)).toEqual(['a']);
  });

  it('refuses a hook with side effects that a dry run would have', async () => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const clientConfig = { url: 'https://127.0.0.1:1' };
    const webhook = { name: 'a.example.test', admissionReviewVersions: ['v1'], sideEffects: 'Some', clientConfig };
    const answer = fixture.api.post(path, { metadata: { name: fixture.unique('hook') }, webhooks: [webhook] });
    const body = await expectFailure(answer, 422, 'Invalid');
    expect(body.message).toContain('webhooks[0].sideEffects: Unsupported value: "Some"');
  });

  it('fills in a webhook configuration', async () => {
    const body = await expectCode(
      fixture.api.post('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
        metadata: { name: fixture.unique('filled') },
        webhooks: [
          {
            name: 'a.example.test',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { service: { name: 's', namespace: 'n' } },
          },
        ],
      }),
      201,
    );
    expect(body['webhooks']).toEqual([
      {
        name: 'a.example.test',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { service: { name: 's', namespace: 'n', port: 443 } },
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        reinvocationPolicy: 'Never',
        timeoutSeconds: 10,
      },
    ]);
    expect(body.metadata.generation).toBe(1);
  });

  it('does not call hooks for webhook configurations themselves', async () => {
    const { namespace } = await prepared();
    const rule = {
      apiGroups: ['admissionregistration.k8s.io'],
      apiVersions: ['*'],
      resources: ['*'],
      operations: ['*'],
      scope: 'Cluster',
    };
    const hook = await installHook(fixture, {
      kind: 'Validating',
      namespace,
      answer: () => ({ allowed: false }),
      webhooks: [{ rules: [configMapRule, rule] }],
    });
    await expectCode(
      fixture.api.post('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
        metadata: { name: fixture.unique('unseen') },
      }),
      201,
    );
    expect(hook.requests).toEqual([]);
  });
}
