import { describe, expect, it } from 'vitest';
import { KubeError, type ResourceType } from '../../kube/index.ts';
import { configOf } from '../config.ts';
import type { Situation } from './situation.ts';
import { probeWebhooks } from './webhook-probe.ts';
import { checkWebhooks } from './webhooks.ts';

const line = { method: 'POST', path: '/x' };
const refusal = (
  message: string,
  code: 'kube-bad-request' | 'kube-forbidden' | 'kube-server-error' = 'kube-bad-request',
) => new KubeError(code, message, line);
const configuration = (port = 443) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'x-policy-check' },
  webhooks: [{ name: 'check.x.svc', clientConfig: { service: { namespace: 'ns', name: 'x-policies-webhook', port } } }],
});

interface Served {
  readonly configurations?: readonly object[];
  readonly service?: object;
  readonly endpoints?: readonly object[];
  readonly refuses?: Error;
  readonly hasKyverno?: boolean;
}

function situationOf(
  { configurations = [configuration()], service, endpoints = [], refuses, hasKyverno }: Served,
  over = {},
) {
  const missing = async () => {
    throw new KubeError('kube-not-found', 'not found', line);
  };
  const client = {
    list: async ({ resource }: ResourceType, { labelSelector }: { readonly labelSelector: string }) => {
      if (labelSelector.startsWith('webhook.kyverno.io/'))
        return { items: hasKyverno ? [{ metadata: { name: 'kyverno' } }] : [] };
      if (resource === 'endpointslices') return { items: [{ endpoints }] };
      return { items: resource === 'validatingwebhookconfigurations' ? configurations : [] };
    },
    get: async ({ resource }: ResourceType) => (resource === 'services' && service ? service : missing()),
    create: async (_: unknown, object: object, options: object) => {
      expect(options).toMatchObject({ dryRun: true });
      if (refuses) throw refuses;
      return object;
    },
  };
  return {
    connection: { client },
    installation: 'x',
    namespace: 'ns',
    features: ['admission'],
    isInstalled: true,
    config: configOf({}),
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

describe('the call of a webhook', () => {
  const probe = (served: Served, over = {}) => probeWebhooks(situationOf(served, over), [configuration()]);
  const denied = refusal('admission webhook "check.x.svc" denied the request: no');

  it('passes only if our webhook refuses a broken policy', async () => {
    expect(await probe({ refuses: denied })).toMatchObject([{ result: 'pass' }]);
    expect(await probe({})).toMatchObject([{ result: 'fail' }]);
    const unreachable = refusal('failed calling webhook "check.x.svc": no route to host', 'kube-server-error');
    expect(await probe({ refuses: unreachable })).toMatchObject([{ result: 'fail' }]);
    const other = refusal('admission webhook "other" denied the request: no');
    expect(await probe({ refuses: other })).toMatchObject([{ result: 'warn' }]);
    expect(await probe({ refuses: refusal('may not create', 'kube-forbidden') })).toMatchObject([{ result: 'warn' }]);
  });

  it('is left out where our webhook may not look at the policy', async () => {
    expect(await probe({ hasKyverno: true })).toEqual([]);
    const matchLabels = { engine: 'supercargo' };
    const config = configOf({ policies: { selector: { matchLabels } } });
    expect(await probe({ hasKyverno: true, refuses: denied }, { config })).toMatchObject([{ result: 'pass' }]);
    const some = configOf({ policies: { selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } } });
    expect(await probe({}, { config: some })).toEqual([]);
  });
});
