import { ownerLabel } from '../../api/index.ts';
import { isKubeError, type ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { configurationTypes } from '../../webhook/index.ts';
import { type CheckLine, fail, guarded, pass, someOf } from './check-line.ts';
import { hasWebhooks, type Situation } from './situation.ts';
import { probeWebhooks } from './webhook-probe.ts';

interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port?: number;
}

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly {
    readonly name: string;
    readonly clientConfig: {
      readonly service?: ServiceReference;
      readonly url?: string;
      readonly caBundle?: string;
    };
  }[];
}

const services: ResourceType = { group: '', version: 'v1', resource: 'services', kind: 'Service', namespaced: true };
const endpointSlices: ResourceType = {
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
};
const name = 'webhooks';

/** The webhook configurations of the installation; in a pod those of the kinds that its features register. */
export async function listWebhooks({
  connection,
  installation,
  isOwnPod,
  signal,
}: Pick<Situation, 'connection' | 'installation' | 'isOwnPod' | 'signal'>): Promise<readonly WebhookConfiguration[]> {
  const labelSelector = `${ownerLabel}=${installation}`;
  const lists = await Promise.all(
    Object.values(configurationTypes).map((type) =>
      connection.client.list<WebhookConfiguration>(type, { labelSelector, signal }).catch((thrown: unknown) => {
        if (isOwnPod && isKubeError(thrown, 'kube-forbidden')) return { items: [] };
        throw thrown;
      }),
    ),
  );
  return lists.flatMap(({ items }) => items);
}

/** What the API server calls exists, has pods that are ready, and answers. */
export async function checkWebhooks(situation: Situation): Promise<readonly CheckLine[]> {
  if (situation.isOwnPod && !hasWebhooks(situation.features)) return [];
  const configurations = await listWebhooks(situation);
  if (configurations.length === 0) return withoutWebhooks(situation);
  const clients = configurations.flatMap(({ webhooks = [] }) => webhooks.map(({ clientConfig }) => clientConfig));
  const references = new Map(
    clients.flatMap(({ service }) =>
      service ? [[`${service.namespace}/${service.name}:${service.port}`, service]] : [],
    ),
  );
  const urls = new Set(clients.flatMap(({ url }) => (url === undefined ? [] : [new URL(url).origin])));
  return [
    // No pod may read its Service; a call that arrives says more.
    ...(situation.isOwnPod ? [] : await servicesOf(situation, [...references.values()])),
    ...(urls.size > 0 ? [pass(name, `the API server calls ${someOf([...urls])}`)] : []),
    ...(await probeWebhooks(situation, configurations)),
  ];
}

/** Whether they may be read does not keep anybody from calling them. */
async function servicesOf(
  situation: Situation,
  references: readonly ServiceReference[],
): Promise<readonly CheckLine[]> {
  const lines = references.map((reference) => guarded(name, async () => [await checkService(situation, reference)]));
  return (await Promise.all(lines)).flat();
}

function withoutWebhooks({ features, isInstalled }: Situation): readonly CheckLine[] {
  if (!hasWebhooks(features)) return [];
  if (!isInstalled) return [pass(name, 'none yet: the program registers them when it runs')];
  return [fail(name, 'none is registered: requests are not judged', 'look at the logs of the leader')];
}

async function checkService(
  { connection, signal }: Situation,
  { namespace, name: service, port = 443 }: ServiceReference,
): Promise<CheckLine> {
  const where = `the Service ${namespace}/${service}`;
  const { client } = connection;
  const found = await client
    .get<KubeObject>(services, { namespace, name: service }, { signal })
    .catch((thrown: unknown) => {
      if (isKubeError(thrown, 'kube-not-found')) return undefined;
      throw thrown;
    });
  const remedy = 'supercargo install --apply creates it; supercargo uninstall --webhooks-only removes the webhooks';
  if (!found) return fail(name, `${where} does not exist`, remedy);
  const { ports = [] } = (found['spec'] ?? {}) as { readonly ports?: readonly { readonly port: number }[] };
  if (!ports.some((one) => one.port === port)) return fail(name, `${where} has no port ${port}`, remedy);
  const { items } = await client.list<KubeObject>(endpointSlices, {
    namespace,
    labelSelector: `kubernetes.io/service-name=${service}`,
    signal,
  });
  const ready = items.flatMap(readyEndpoints).length;
  if (ready > 0) return pass(name, `${where} has ${ready} ready ${ready === 1 ? 'endpoint' : 'endpoints'}`);
  return fail(name, `${where} has no ready endpoint`, `kubectl -n ${namespace} get pods says why`);
}

const readyEndpoints = (slice: KubeObject) =>
  ((slice['endpoints'] ?? []) as readonly { readonly conditions?: { readonly ready?: boolean } }[]).filter(
    ({ conditions }) => conditions?.ready !== false,
  );
