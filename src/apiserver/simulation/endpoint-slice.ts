import { dequal } from 'dequal';
import type { Pod, Service } from 'kubernetes-types/core/v1.js';
import type { Endpoint, EndpointPort } from 'kubernetes-types/discovery/v1.js';
import type { KubeObject } from '../../object/index.ts';
import { endpointSlices, pods as podType, services } from './kinds.ts';
import type { OwnedIndex } from './owned-index.ts';
import { isFinished, isReady, isTerminating } from './pod-state.ts';
import { controllerReference } from './pod-template.ts';
import { type Context, type Controller, keyOf, type Live, live, splitKey } from './types.ts';
import { modify, removeObject } from './writes.ts';

// The limit of the API.
const endpointsPerSlice = 1000;
// A rollout changes many pods; a slice of hundreds of endpoints is not rewritten for each of them.
const debounceMs = 250;

interface EndpointIndexes {
  readonly pods: OwnedIndex;
  readonly slices: OwnedIndex;
}

/** Creates EndpointSlices for services with a selector. */
export function createEndpointSliceController(context: Context, indexes: EndpointIndexes): Controller {
  const { client } = context;
  const selectors = new Map<string, Map<string, Readonly<Record<string, string>>>>();

  const reconcile = async (key: string): Promise<undefined> => {
    const [namespace, name] = splitKey(key);
    const found = client.get(services, namespace, name);
    if (!found || isTerminating(found)) return;
    const service = live<Service>(found);
    const { selector } = service.spec;
    if (!selector || service.spec.type === 'ExternalName') return;
    const endpoints = indexes.pods
      .inNamespace(namespace)
      .filter((pod) => selects(selector, pod))
      .map((pod) => live<Pod>(pod))
      .filter((pod) => pod.status?.podIP && !isFinished(pod))
      .map((pod) => renderEndpoint(pod, service))
      .sort((a, b) => ((a.addresses[0] ?? '') < (b.addresses[0] ?? '') ? -1 : 1));
    await write(service, chunks(endpoints));
  };

  const write = async (service: Live<Service>, parts: readonly Endpoint[][]) => {
    const existing = indexes.slices.ownedBy(service.metadata.uid).filter((slice) => !isTerminating(slice));
    const ports = renderPorts(service);
    for (const [index, endpoints] of parts.entries()) {
      const slice = existing[index];
      if (!slice) {
        await client.create(endpointSlices, renderSlice(service, endpoints, ports));
      } else if (!dequal(slice['endpoints'], endpoints) || !dequal(slice['ports'], ports)) {
        const place = {
          type: endpointSlices,
          namespace: service.metadata.namespace ?? '',
          name: slice.metadata.name ?? '',
        };
        await modify(context, place, (object) => ({ ...object, endpoints, ports }));
      }
    }
    for (const slice of existing.slice(parts.length)) await removeObject(context, endpointSlices, slice);
  };

  return {
    name: 'endpointslice-controller',
    concurrency: 2,
    reconcile,
    subscribe: (enqueue) => [
      client.watch(services, ({ type, object }) => {
        const { namespace = '', name = '' } = object.metadata;
        const inNamespace = selectors.get(namespace) ?? new Map();
        selectors.set(namespace, inNamespace);
        const { selector } = live<Service>(object).spec;
        if (type === 'DELETED' || !selector) inNamespace.delete(name);
        else inNamespace.set(name, selector);
        if (inNamespace.size === 0) selectors.delete(namespace);
        if (type !== 'DELETED') enqueue(keyOf(object));
      }),
      client.watch(podType, ({ type, object, previous }) => {
        const inNamespace = selectors.get(object.metadata.namespace ?? '');
        if (!inNamespace || (type === 'MODIFIED' && previous && !isRelevant(previous, object))) return;
        for (const [name, selector] of inNamespace) {
          if (selects(selector, object) || (previous && selects(selector, previous))) {
            enqueue(`${object.metadata.namespace ?? ''}/${name}`, debounceMs);
          }
        }
      }),
    ],
  };
}

function isRelevant(before: KubeObject, after: KubeObject): boolean {
  const facts = (object: KubeObject) => {
    const pod = live<Pod>(object);
    return [pod.status?.podIP, pod.status?.phase, isReady(pod), isTerminating(pod)].join();
  };
  return facts(before) !== facts(after) || !dequal(before.metadata.labels, after.metadata.labels);
}

function selects(selector: Readonly<Record<string, string>>, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value);
}

function renderEndpoint(pod: Live<Pod>, service: Live<Service>): Endpoint {
  const { metadata, spec, status } = pod;
  const terminating = isTerminating(pod);
  const serving = isReady(pod);
  const ready = service.spec.publishNotReadyAddresses || (serving && !terminating);
  return {
    addresses: [status?.podIP ?? ''],
    conditions: { ready, serving, terminating },
    ...(spec.nodeName ? { nodeName: spec.nodeName } : {}),
    ...(spec.hostname && spec.subdomain === service.metadata.name ? { hostname: spec.hostname } : {}),
    targetRef: { kind: 'Pod', name: metadata.name, namespace: metadata.namespace ?? '', uid: metadata.uid },
  };
}

/** A named target port is not resolved in the pods: the service's own port number is used. */
function renderPorts({ spec }: Live<Service>): EndpointPort[] {
  return (spec.ports ?? []).map(({ name = '', port, targetPort, protocol = 'TCP', appProtocol }) => ({
    name,
    port: typeof targetPort === 'number' && targetPort !== 0 ? targetPort : port,
    protocol,
    ...(appProtocol ? { appProtocol } : {}),
  }));
}

function renderSlice(service: Live<Service>, endpoints: Endpoint[], ports: EndpointPort[]): KubeObject {
  const { metadata, spec } = service;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${metadata.name}-`,
      namespace: metadata.namespace ?? '',
      labels: {
        ...metadata.labels,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        'kubernetes.io/service-name': metadata.name,
        ...(spec.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {}),
      },
      ownerReferences: [controllerReference({ apiVersion: 'v1', kind: 'Service', metadata })],
    },
    addressType: 'IPv4',
    endpoints,
    ports,
  };
}

function chunks(endpoints: readonly Endpoint[]): Endpoint[][] {
  const parts: Endpoint[][] = [];
  for (let start = 0; start < endpoints.length; start += endpointsPerSlice) {
    parts.push(endpoints.slice(start, start + endpointsPerSlice));
  }
  // A service that selects no pod still has one empty slice.
  return parts.length > 0 ? parts : [[]];
}
