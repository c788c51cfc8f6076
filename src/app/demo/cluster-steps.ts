import { isKubeError, type ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { SceneContext } from './scene.ts';

export const pods: ResourceType = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };

export const deployments: ResourceType = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};

export const pod = (name: string, image: string, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { ...spec, containers: [{ name: 'app', image }] },
});

/** Demos in a folder that is kept find what the last one made. */
export async function createOnce(
  { connection, signal }: SceneContext,
  type: ResourceType,
  object: KubeObject,
): Promise<void> {
  try {
    await connection.client.create(type, object, { signal });
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
  }
}

/** The message of the policy that denies the pod. */
export async function refusalOf({ connection, signal }: SceneContext, object: KubeObject): Promise<string> {
  try {
    await connection.client.create(pods, object, { signal });
  } catch (thrown) {
    if (!isKubeError(thrown)) throw thrown;
    // The client's text around the server's message is not shown.
    return thrown.message.replace(/^.*denied the request: /s, '').replace(/ \(\d+\)$/, '');
  }
  return 'it was not denied';
}

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  /** Of policies of expressions. */
  readonly conditionStatus?: { readonly ready?: boolean };
}

/** Watches until the policy is Ready. */
export async function untilReady(
  { connection: { client }, signal }: SceneContext,
  policies: ResourceType,
  name: string,
): Promise<void> {
  const selection = { fieldSelector: `metadata.name=${name}`, signal };
  const isReady = (policy: KubeObject) => {
    const status = (policy['status'] ?? {}) as Status;
    const { conditions = [], conditionStatus } = status;
    return conditionStatus?.ready ?? conditions.some((one) => one.type === 'Ready' && one.status === 'True');
  };
  const list = await client.list<KubeObject>(policies, selection);
  if (list.items.some(isReady)) return;
  for await (const event of client.watch<KubeObject>(policies, { ...selection, resourceVersion: list.resourceVersion }))
    if (event.type !== 'BOOKMARK' && isReady(event.object)) return;
}
