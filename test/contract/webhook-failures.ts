import { expect, it } from 'vitest';
import { eventually } from '../support/wait.ts';
import { jsonPatch } from '../support/webhook-server.ts';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap } from './objects.ts';
import { configMapRule, installHook, namespaceForHooks } from './webhook-fixture.ts';

export function defineWebhookFailures(fixture: Fixture): void {
  const prepared = () => namespaceForHooks(fixture);

  it('answers 400 without a reason when a hook says no and nothing else', async () => {
    const { namespace, path } = await prepared();
    await installHook(fixture, { kind: 'Validating', namespace, answer: () => ({ allowed: false }) });
    const body = await expectCode(fixture.api.post(path, configMap('a')), 400);
    expect(body.message).toBe('admission webhook "hook0.example.test" denied the request without explanation');
    expect(body.reason).toBeUndefined();
  });

  it('answers 400 with the message, or else the reason, when a hook gives no code', async () => {
    const { namespace, path } = await prepared();
    await installHook(fixture, {
      kind: 'Mutating',
      namespace,
      answer: ({ name }) => ({
        allowed: false,
        status: name === 'a' ? { message: 'because' } : { reason: 'Reasoned' },
      }),
    });
    const byMessage = await expectCode(fixture.api.post(path, configMap('a')), 400);
    expect(byMessage.message).toBe('admission webhook "hook0.example.test" denied the request: because');
    const byReason = await expectCode(fixture.api.post(path, configMap('b')), 400);
    expect(byReason).toMatchObject({
      message: 'admission webhook "hook0.example.test" denied the request: Reasoned',
      reason: 'Reasoned',
    });
  });

  it('validates the object that hooks have made', async () => {
    const { namespace, path } = await prepared();
    const answer = () => jsonPatch([{ op: 'add', path: '/metadata/labels', value: { bad: 'not a label!' } }]);
    await installHook(fixture, { kind: 'Mutating', namespace, answer });
    await expectFailure(fixture.api.post(path, configMap('a')), 422, 'Invalid');
  });

  it('fails the request on a patch that cannot be applied', async () => {
    const { namespace, path } = await prepared();
    const answer = () => jsonPatch([{ op: 'remove', path: '/data/none' }]);
    await installHook(fixture, { kind: 'Mutating', namespace, answer });
    await expectFailure(fixture.api.post(path, configMap('a')), 500, 'InternalError');
  });

  it('fails the request when a hook answers garbage, another uid or a wrong code', async () => {
    const { namespace, path } = await prepared();
    await installHook(fixture, {
      kind: 'Validating',
      namespace,
      answer: ({ name }) =>
        name === 'garbage' ? { raw: 'garbage' } : name === 'code' ? { raw: '{}', status: 500 } : { uid: 'other' },
    });
    for (const name of ['garbage', 'code', 'uid']) {
      const body = await expectFailure(fixture.api.post(path, configMap(name)), 500, 'InternalError');
      expect(body.message).toMatch(/^Internal error occurred: failed calling webhook "hook0\.example\.test": /);
      expect(body.details.causes[0]?.message).toMatch(/^failed calling webhook "hook0\.example\.test": /);
    }
  });

  it('lets the request pass on a failing hook whose policy is Ignore', async () => {
    const { namespace, path } = await prepared();
    const webhooks = [{ failurePolicy: 'Ignore' }];
    await installHook(fixture, { kind: 'Validating', namespace, answer: () => ({ raw: 'garbage' }), webhooks });
    await expectCode(fixture.api.post(path, configMap('a')), 201);
  });

  it('refuses in spite of the policy Ignore when the hook says no', async () => {
    const { namespace, path } = await prepared();
    const webhooks = [{ failurePolicy: 'Ignore' }];
    await installHook(fixture, { kind: 'Validating', namespace, answer: () => ({ allowed: false }), webhooks });
    await expectCode(fixture.api.post(path, configMap('a')), 400);
  });

  it('fails the request when a hook does not answer within its timeout', async () => {
    const { namespace, path } = await prepared();
    const answer = () => new Promise<never>(() => {});
    await installHook(fixture, { kind: 'Validating', namespace, answer, webhooks: [{ timeoutSeconds: 1 }] });
    const body = await expectFailure(fixture.api.post(path, configMap('a')), 500, 'InternalError');
    expect(body.message).toContain('context deadline exceeded');
  });

  it('fails the request when no server listens at the URL of a webhook', async () => {
    const { namespace, path } = await prepared();
    await expectCode(
      fixture.api.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
        metadata: { name: fixture.unique('dead') },
        webhooks: [
          {
            name: 'dead.example.test',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { url: 'https://127.0.0.1:1/' },
            rules: [configMapRule],
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          },
        ],
      }),
      201,
    );
    const body = await eventually(() =>
      expectFailure(fixture.api.post(`${path}?dryRun=All`, configMap('a')), 500, 'InternalError'),
    );
    expect(body.message).toMatch(
      /^Internal error occurred: failed calling webhook "dead\.example\.test": failed to call webhook: /,
    );
  });
}
