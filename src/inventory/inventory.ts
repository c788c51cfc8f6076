import type { Informer, InformerFactory, ResourceType } from '../kube/index.ts';
import { controllerOf, type KubeObject } from '../object/index.ts';
import { ImageIndex, type ImageUser } from './image-index.ts';
import { type ContainerImage, imagesOfWorkload } from './workload-images.ts';

const workload = (group: string, resource: string, kind: string): ResourceType => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced: true,
});

/** Kinds that people write. Pods and ReplicaSets count where no controller created them. */
export const workloadTypes: readonly ResourceType[] = [
  workload('apps', 'deployments', 'Deployment'),
  workload('apps', 'statefulsets', 'StatefulSet'),
  workload('apps', 'daemonsets', 'DaemonSet'),
  workload('apps', 'replicasets', 'ReplicaSet'),
  workload('batch', 'jobs', 'Job'),
  workload('batch', 'cronjobs', 'CronJob'),
  workload('', 'pods', 'Pod'),
];

/**
 * The cached form of a workload. An object created by a controller repeats its owner's images, so it counts as empty.
 */
export interface WorkloadImages {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly images: readonly ContainerImage[];
}

export interface Inventory {
  readonly index: ImageIndex;
  readonly hasSynced: boolean;
}

/** The workloads of one type, reduced to their images; one informer shared by all users. */
export function workloadInformer(
  informers: InformerFactory,
  type: ResourceType,
  namespace?: string,
): Informer<KubeObject, WorkloadImages> {
  return informers.for<KubeObject, WorkloadImages>(type, { projection, ...(namespace ? { namespace } : {}) });
}

/** Watches the workloads of the cluster; stale by at most the delay of a watch. */
export function createInventory({ informers }: { readonly informers: InformerFactory }): Inventory {
  const index = new ImageIndex();
  const followed = workloadTypes.map((type) => {
    const informer = workloadInformer(informers, type);
    const put = (stored: WorkloadImages) => index.put(userOf(type.kind, stored), stored.images);
    informer.addHandler({
      onAdd: ({ stored }) => put(stored),
      onUpdate: ({ stored }) => put(stored),
      onDelete: ({ stored }) => index.remove(userOf(type.kind, stored)),
    });
    return informer;
  });
  return {
    index,
    get hasSynced() {
      return followed.every((informer) => informer.hasSynced);
    },
  };
}

function imagesAlone(object: KubeObject): WorkloadImages {
  const { name = '', namespace = '' } = object.metadata;
  return { metadata: { name, namespace }, images: controllerOf(object) ? [] : imagesOfWorkload(object) };
}

const projection = { name: 'images', project: imagesAlone };

const userOf = (kind: string, { metadata }: WorkloadImages): ImageUser => ({ kind, ...metadata });
