import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { Informer, InformerFactory } from '../kube/index.ts';
import { controllerOf, type KubeObject } from '../object/index.ts';
import { type ContainerImage, imagesOfWorkload } from './workload-images.ts';

/** What a node says of one container of a pod. */
interface PodContainer {
  /** `repository@digest`, as the node pulled it; empty before. */
  readonly imageId: string;
  readonly state: 'running' | 'waiting' | 'terminated' | 'unknown';
  readonly reason: string;
  readonly message: string;
}

/** The cached form of a pod: where it runs, what, and why not. */
export interface PodState {
  readonly namespace: string;
  readonly name: string;
  /** The kind and name of its controller; empty for a pod that people wrote. */
  readonly ownerKind: string;
  readonly ownerName: string;
  /** The Deployment whose ReplicaSet made it, by the label `pod-template-hash`; empty otherwise. */
  readonly deployment: string;
  readonly node: string;
  /** It ended, well or not. */
  readonly isOver: boolean;
  readonly images: readonly ContainerImage[];
  /** One for each of `images`. */
  readonly containers: readonly PodContainer[];
}

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true } as const;

/** All pods, also those of controllers; one informer shared by all users. */
export function podInformer(informers: InformerFactory, namespace?: string): Informer<KubeObject, PodState> {
  return informers.for<KubeObject, PodState>(pods, {
    projection: { name: 'pod-state', project: podState },
    ...(namespace === undefined ? {} : { namespace }),
  });
}

const maxMessage = 500;
const statusLists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

function podState(pod: KubeObject): PodState {
  const { namespace = '', name = '', labels } = pod.metadata;
  const owner = controllerOf(pod);
  const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
  const status = isJsonObject(pod['status']) ? pod['status'] : {};
  const phase = status['phase'];
  const images = imagesOfWorkload(pod);
  const hash = labels?.['pod-template-hash'];
  const isOfDeployment = owner?.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`);
  const states = containerStates(status);
  return {
    namespace,
    name,
    ownerKind: owner?.kind ?? '',
    ownerName: owner?.name ?? '',
    deployment: isOfDeployment ? owner.name.slice(0, -hash.length - 1) : '',
    node: textOf(spec, 'nodeName'),
    isOver: phase === 'Succeeded' || phase === 'Failed',
    images,
    containers: images.map(({ container }) => states.get(container) ?? unknown),
  };
}

const unknown: PodContainer = { imageId: '', state: 'unknown', reason: '', message: '' };

function containerStates(status: JsonObject): ReadonlyMap<string, PodContainer> {
  const states = new Map<string, PodContainer>();
  for (const list of statusLists) {
    const entries = status[list];
    if (!Array.isArray(entries)) continue;
    for (const entry of entries) {
      if (!isJsonObject(entry) || typeof entry['name'] !== 'string') continue;
      const state = isJsonObject(entry['state']) ? entry['state'] : {};
      const kind = (['running', 'waiting', 'terminated'] as const).find((one) => isJsonObject(state[one]));
      const detail = kind === undefined ? {} : (state[kind] as JsonObject);
      states.set(entry['name'], {
        imageId: textOf(entry, 'imageID'),
        state: kind ?? 'unknown',
        reason: textOf(detail, 'reason'),
        message: textOf(detail, 'message').slice(0, maxMessage),
      });
    }
  }
  return states;
}

const textOf = (of: JsonObject, key: string) => (typeof of[key] === 'string' ? (of[key] as string) : '');
