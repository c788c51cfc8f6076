import type { MirroredImage } from '../../api/index.ts';
import { type InformerChange, informerSource, type Source } from '../../controller/index.ts';
import { parseReference, renderReference, withDefaultTag } from '../../image/index.ts';
import { type WorkloadImages, workloadInformer, workloadTypes } from '../../inventory/index.ts';
import type { Informer, InformerFactory, ResourceType } from '../../kube/index.ts';
import { type MirrorSettings, workloadKey, workloadKinds } from '../../mirror/index.ts';
import { deepEqual, type KubeObject } from '../../object/index.ts';

const namespaceType: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

type WorkloadChange = InformerChange<KubeObject, WorkloadImages>;
const byImage = 'mirror-image';

/**
 * Workloads of the watched kinds: queued when their images change, when the labels of their namespace change, and when
 * a copy of one of their images was made or its record was deleted. There is no separate list of waiting workloads.
 */
export function workloadSources(
  informers: InformerFactory,
  images: Informer<MirroredImage>,
  rewrite: MirrorSettings['rewrite'],
): readonly Source[] {
  const followed = followedWorkloads(informers, rewrite);
  const keyOf = (kind: string, { metadata }: WorkloadImages) => workloadKey(kind, metadata.namespace, metadata.name);
  const changed = (kind: string, change: WorkloadChange): readonly string[] => {
    const { stored } = change;
    if (stored.images.length === 0) return [];
    const isSame = 'previous' in change && deepEqual(change.previous.images, stored.images);
    return isSame ? [] : [keyOf(kind, stored)];
  };
  const inNamespace = (namespace: string) =>
    followed.flatMap(({ kind, informer }) =>
      informer
        .list()
        .filter(({ metadata, images: used }) => metadata.namespace === namespace && used.length > 0)
        .map((stored) => keyOf(kind, stored)),
    );
  const withImage = (source: string) =>
    followed.flatMap(({ kind, informer }) => informer.byIndex(byImage, source).map((stored) => keyOf(kind, stored)));
  const namespaces = informers.for<KubeObject, Readonly<Record<string, string>>>(namespaceType, {
    metadataOnly: true,
    projection: { name: 'labels', project: ({ metadata }) => metadata.labels ?? {} },
  });
  return [
    ...followed.map(({ kind, informer }) =>
      informerSource(informer, (change: WorkloadChange) => changed(kind, change)),
    ),
    informerSource(namespaces, (change) =>
      'previous' in change && !deepEqual(change.previous, change.stored) ? inNamespace(change.key) : [],
    ),
    informerSource(images, (change) => (isSettled(change) ? withImage(change.stored.spec.source) : [])),
  ];
}

/** A copy that was made now, not one that was only checked again; or a deleted record. */
function isSettled(change: InformerChange<MirroredImage, MirroredImage>): boolean {
  if ('isInitial' in change) return change.stored.status?.phase === 'Copied';
  if (!('previous' in change)) return true;
  const [before, now] = [change.previous.status, change.stored.status];
  return now?.phase === 'Copied' && (before?.phase !== 'Copied' || before.attempts !== now.attempts);
}

/** What is to be copied: new objects, and reopened ones. Our own status updates do not count. */
export function isOrdered(change: InformerChange<MirroredImage, MirroredImage>): readonly string[] {
  const phase = change.stored.status?.phase ?? 'Pending';
  const isOpened = 'previous' in change && phase === 'Pending' && change.previous.status?.phase !== phase;
  const isNew = !('previous' in change) || change.previous.metadata.generation !== change.stored.metadata.generation;
  return isNew || isOpened ? [change.key] : [];
}

interface ImageUse {
  /** Undefined until all workloads are listed. */
  isUsed(names: { readonly source: string; readonly copy: string }): boolean | undefined;
}

/**
 * Whether a workload runs an image: as written, or as its copy. A copy in a registry that is no longer the backup
 * registry is used only by workloads that still run it.
 */
export function createImageUse(
  informers: InformerFactory,
  rewrite: MirrorSettings['rewrite'],
  isCopy: (reference: string) => boolean,
): ImageUse {
  const followed = followedWorkloads(informers, rewrite);
  const has = (image: string) => followed.some(({ informer }) => informer.byIndex(byImage, image).length > 0);
  return {
    isUsed({ source, copy }) {
      if (!followed.every(({ informer }) => informer.hasSynced)) return undefined;
      return has(copy) || (isCopy(copy) && has(source));
    },
  };
}

function followedWorkloads(informers: InformerFactory, rewrite: MirrorSettings['rewrite']) {
  return workloadTypes
    .filter(({ kind }) => workloadKinds.includes(kind) && (rewrite === 'pods' || kind !== 'Pod'))
    .map((type) => {
      const informer = workloadInformer(informers, type);
      informer.addIndexes({ [byImage]: namesOf });
      return { kind: type.kind, informer };
    });
}

/** As it runs and as it was written, each also without the pinned digest. */
const namesOf = ({ images }: WorkloadImages) => [
  ...new Set(images.flatMap(({ image, source }) => [...fullName(image), ...fullName(source)])),
];

function fullName(image: string): readonly string[] {
  try {
    const { registry, path, tag, digest } = withDefaultTag(parseReference(image));
    const full = renderReference({ registry, path, tag, digest });
    return tag !== undefined && digest !== undefined ? [full, renderReference({ registry, path, tag })] : [full];
  } catch {
    // No image; the API server will say so, or has.
    return [];
  }
}
