import { ownerLabel } from '../api/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';

const crdType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};
const webhookType = (resource: string, kind: string): ResourceType => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource,
  kind,
  namespaced: false,
});
const webhookTypes = [
  webhookType('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration'),
  webhookType('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration'),
];

/**
 * Why Kyverno seems to run the policies of this cluster; undefined when it does not. If it does, no policy is used until
 * the configuration selects some.
 */
export async function findKyverno(client: KubeClient, signal?: AbortSignal): Promise<string | undefined> {
  for (const type of webhookTypes) {
    const { items } = await client.list<KubeObject>(type, {
      labelSelector: 'webhook.kyverno.io/managed-by=kyverno',
      limit: 1,
      metadataOnly: true,
      signal,
    });
    if (items[0]) return `${type.kind} ${items[0].metadata.name} belongs to Kyverno`;
  }
  const name = 'clusterpolicies.kyverno.io';
  try {
    const crd = await client.get<KubeObject>(crdType, { name }, { signal });
    if (crd.metadata.labels?.[ownerLabel] === undefined) return `the CRD ${name} was not installed by supercargo`;
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
  }
  return undefined;
}
