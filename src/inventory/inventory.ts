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

/** What people write; Pods and ReplicaSets count where no controller made them. */
export const workloadTypes: readonly ResourceType[] = [
  workload('apps', 'deployments', 'Deployment'),
  workload('apps', 'statefulsets', 'StatefulSet'),
  workload('apps', 'daemonsets', 'DaemonSet'),
  workload('apps', 'replicasets', 'ReplicaSet'),
  workload('batch', 'jobs', 'Job'),
  workload('batch', 'cronjobs', 'CronJob'),
  workload('', 'pods', 'Pod'),
];

/** All that is kept of a workload. What a controller made shows its owner's images once more: it counts as empty. */
export interface WorkloadImages {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly images: readonly ContainerImage[];
}

export interface Inventory {
  readonly index: ImageIndex;
  readonly hasSynced: boolean;
}

/** The workloads of one type by their images alone; shared by all who ask. */
export function workloadInformer(informers: InformerFactory, type: ResourceType): Informer<KubeObject, WorkloadImages> {
  return informers.for<KubeObject, WorkloadImages>(type, { projection });
}

/** Follows the workloads of the cluster; never stale by more than a watch. */
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
