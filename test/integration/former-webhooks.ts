import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { renderConfiguration } from '../../src/webhook/configuration.ts';
import type { HttpClient } from '../support/http-client.ts';

const registrations = '/apis/admissionregistration.k8s.io/v1';
const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

export interface RegisteredWebhook {
  readonly installation: string;
  readonly namespace: string;
  readonly part: string;
  /** Of the configuration, without the installation. */
  readonly name: string;
  readonly type?: 'mutating' | 'validating';
}

export const configurationPath = ({ installation, name, type = 'validating' }: RegisteredWebhook) =>
  `${registrations}/${type}webhookconfigurations/${installation}-${name}`;

/** Registers a webhook for new pods as the pods of a part do. Here nothing answers behind its Service. */
export async function register(api: HttpClient, webhook: RegisteredWebhook): Promise<number> {
  const { installation, namespace, part, name, type = 'validating' } = webhook;
  const entry = {
    name,
    path: '/validate/fail',
    failurePolicy: 'Fail' as const,
    timeoutSeconds: 1,
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' as const }],
  };
  const { status } = await api.post(
    configurationPath(webhook).replace(/\/[^/]+$/, ''),
    renderConfiguration({ name, type }, [entry], {
      installation,
      address: { service: { namespace, name: `${installation}-${part}-webhook`, port: 443 } },
      bundle: '',
      exemptNamespaces: [namespace],
      installedIn: namespace,
    }),
  );
  return status;
}

/** Like a replica that still runs: registers the webhook whenever it is missing, as long as it has the right to. */
export function startReplica(api: HttpClient, webhook: RegisteredWebhook): { stop(): Promise<void> } {
  const { installation, namespace, part } = webhook;
  const binding = `${bindings}/${installation}:${namespace}:${part}:webhooks`;
  const end = new AbortController();
  const running = (async () => {
    while (!end.signal.aborted) {
      const [{ status: present }, { status: right }] = [
        await api.get(configurationPath(webhook)),
        await api.get(encodeURI(binding)),
      ];
      if (present === 404 && right === 200) await register(api, webhook);
      await sleep(20);
    }
  })();
  return {
    async stop() {
      end.abort();
      await running;
    },
  };
}

/** The identity and version of a webhook: the same as before if nobody has touched it. */
export async function versionOf(api: HttpClient, webhook: RegisteredWebhook): Promise<unknown> {
  const { status, body } = await api.get(configurationPath(webhook));
  expect(status, configurationPath(webhook)).toBe(200);
  const { uid, resourceVersion } = body.metadata;
  return { uid, resourceVersion };
}

/** What the API server says to a new pod in a namespace that the webhooks are about. */
export async function createPod(api: HttpClient, name: string): Promise<number> {
  const pod = { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  return (await api.post('/api/v1/namespaces/default/pods', pod)).status;
}
