import { expect } from 'vitest';
import { eventually } from '../support/wait.ts';
import { type AdmissionRequest, type HookAnswer, jsonPatch, startWebhookServer } from '../support/webhook-server.ts';
import { expectCode, type Fixture } from './fixture.ts';
import { configMap } from './objects.ts';

export interface HookOptions {
  readonly kind: 'Mutating' | 'Validating';
  readonly namespace: string;
  readonly name?: string;
  readonly answer: (request: AdmissionRequest, path: string) => HookAnswer | Promise<HookAnswer>;
  /** Fields of each webhook, one webhook for each; their URLs end with /0, /1, … */
  readonly webhooks?: readonly object[];
  /** Labels of the object by which the test finds out that the hook is called. */
  readonly probeLabels?: Readonly<Record<string, string>>;
}

export interface Hook {
  /** What the hook was asked, in order. */
  readonly requests: readonly AdmissionRequest[];
}

const probeName = 'probe';
/** Controllers put it into every namespace, at their own pace. */
const rootCertificate = 'kube-root-ca.crt';

/**
 * Registers webhooks that see only the given namespace and waits until the server calls all of them. By default a hook is called for the creation, change and deletion of ConfigMaps.
 */
export async function installHook(fixture: Fixture, options: HookOptions): Promise<Hook> {
  const { kind, namespace, answer, webhooks = [{}], probeLabels = {} } = options;
  const requests: AdmissionRequest[] = [];
  const probed = new Set<string>();
  const server = await startWebhookServer((request, path) => {
    if (request.object?.metadata.name === probeName) {
      probed.add(path);
      return {};
    }
    if (request.name === rootCertificate) return {};
    requests.push(request);
    return answer(request, path);
  });
  fixture.atEnd(() => server.close());
  const name = options.name ?? `${fixture.unique('hook')}.test`;
  const resource = `${kind.toLowerCase()}webhookconfigurations`;
  await expectCode(
    fixture.api.post(`/apis/admissionregistration.k8s.io/v1/${resource}`, {
      metadata: { name },
      webhooks: webhooks.map((webhook, index) => ({
        name: `hook${index}.example.test`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: `${server.url}/${index}`, caBundle: server.caBundle },
        rules: [configMapRule],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        ...webhook,
      })),
    }),
    201,
  );
  const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
  await eventually(async () => {
    await fixture.api.post(path, configMap(probeName, {}, { labels: probeLabels }));
    expect(probed.size).toBe(webhooks.length);
  });
  return { requests };
}

export const configMapRule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
};

/** A new namespace and the path of its ConfigMaps. */
export async function namespaceForHooks(
  fixture: Fixture,
): Promise<{ readonly namespace: string; readonly path: string }> {
  const namespace = await fixture.namespace();
  return { namespace, path: `/api/v1/namespaces/${namespace}/configmaps` };
}

/** The answer of a hook that replaces all labels by one. */
export const setLabel = (label: string) =>
  jsonPatch([{ op: 'add', path: '/metadata/labels', value: { [label]: 'yes' } }]);
