import { describe, expect, it } from 'vitest';
import { KubeError, type ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { configOf } from '../config.ts';
import type { Situation } from './situation.ts';
import { probeWebhooks } from './webhook-probe.ts';
import { checkWebhooks } from './webhooks.ts';

const line = { method: 'POST', path: '/x' };
const refusal = (message: string, code: 'kube-bad-request' | 'kube-server-error' = 'kube-bad-request') =>
  new KubeError(code, message, line);
const configuration = (port = 443) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'x-policy-check' },
  webhooks: [{ name: 'check.x.svc', clientConfig: { service: { namespace: 'ns', name: 'x-policies-webhook', port } } }],
});

let nowMs = 0;
/** Time passes by waiting alone. */
const clock = {
  monotonicMs: () => nowMs,
  sleep: async (ms: number) => {
    nowMs += ms;
  },
};

interface Served {
  readonly configurations?: readonly object[];
  readonly service?: object;
  readonly endpoints?: readonly object[];
  /** The answer to a request to create the object of this name. */
  readonly refuses?: (name: string) => Error;
  readonly isForbidden?: boolean;
  readonly isUnreadable?: boolean;
}

function situationOf(
  { configurations = [configuration()], service, endpoints = [], refuses, isForbidden, isUnreadable }: Served,
  over = {},
) {
  const missing = async () => {
    throw new KubeError(isUnreadable ? 'kube-forbidden' : 'kube-not-found', 'no', line);
  };
  const client = {
    list: async ({ resource }: ResourceType) => {
      if (resource === 'endpointslices') return { items: [{ endpoints }] };
      return { items: resource === 'validatingwebhookconfigurations' ? configurations : [] };
    },
    get: async ({ resource }: ResourceType) => (resource === 'services' && service ? service : missing()),
    create: async (_: unknown, object: KubeObject, options: object) => {
      expect(options).toMatchObject({ dryRun: true });
      if (refuses) throw refuses(object.metadata.name!);
      return object;
    },
    raw: async () => ({ value: { status: { allowed: !isForbidden } } }),
  };
  return {
    connection: { client },
    installation: 'x',
    namespace: 'ns',
    features: ['admission'],
    isInstalled: true,
    config: configOf({}),
    clock,
    signal: new AbortController().signal,
    ...over,
  } as unknown as Situation;
}

describe('the Service of a webhook', () => {
  const service = { spec: { ports: [{ port: 443 }] } };
  const first = async (served: Served) => (await checkWebhooks(situationOf(served)))[0];

  it('must exist, with the port and an endpoint that is ready', async () => {
    const ready = { conditions: { ready: true } };
    expect(await first({ service, endpoints: [ready, ready] })).toMatchObject({
      result: 'pass',
      found: 'the Service ns/x-policies-webhook has 2 ready endpoints',
    });
    expect((await first({ service, endpoints: [{ conditions: { ready: false } }] }))!.found).toMatch(
      /no ready endpoint$/,
    );
    expect((await first({}))!.found).toMatch(/does not exist$/);
    expect((await first({ service, configurations: [configuration(8443)] }))!.found).toMatch(/has no port 8443$/);
  });

  it('is not expected before the installation, nor without features that review requests', async () => {
    const none = { configurations: [] };
    expect(await checkWebhooks(situationOf(none))).toMatchObject([{ result: 'fail' }]);
    expect(await checkWebhooks(situationOf(none, { isInstalled: false }))).toMatchObject([{ result: 'pass' }]);
    expect(await checkWebhooks(situationOf(none, { features: ['detect'] }))).toEqual([]);
  });
});

describe('a Service that may not be read', () => {
  it('is not called missing', async () => {
    const lines = await checkWebhooks(situationOf({ isUnreadable: true }));
    expect(lines).toMatchObject([{ check: 'webhooks', result: 'warn', found: expect.stringContaining('not checked') }]);
  });
});

describe('the call of a webhook', () => {
  const registered = { ...configuration(), metadata: { name: 'x-probe-admission' } };
  const probe = (served: Served, over = {}) => probeWebhooks(situationOf(served, over), [registered]);

  it('passes only if our webhook refuses what the API server asks it about', async () => {
    const answer = (name: string) =>
      refusal(`admission webhook "probe.x.svc" denied it: the webhook answers probe ${name}`);
    expect(await probe({ refuses: answer })).toMatchObject([{ result: 'pass' }]);
    expect(await probe({ refuses: () => answer('another') })).toMatchObject([{ result: 'fail' }]);
    expect(await probe({})).toMatchObject([{ result: 'fail' }]);
    const unreachable = () => refusal('failed calling webhook "probe.x.svc": no route to host', 'kube-server-error');
    expect(await probe({ refuses: unreachable })).toMatchObject([
      { result: 'fail', found: expect.stringContaining('no route to host') },
    ]);
  });

  it('is left out where no probe is registered, and not tried without the permission', async () => {
    expect(await probeWebhooks(situationOf({}), [configuration()])).toEqual([]);
    expect(await probe({ isForbidden: true })).toMatchObject([{ result: 'warn' }]);
  });
});

describe('in a pod of the installation', () => {
  it('only the webhooks of its own part are looked at', async () => {
    const situation = { isOwnPod: true, features: ['detect'] };
    expect(await checkWebhooks(situationOf({}, situation))).toEqual([]);
  });
});
