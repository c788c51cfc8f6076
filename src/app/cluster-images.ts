import { errorMessage, UsageError } from '../base/index.ts';
import { createImageMapper, parseReference, parseTarget, renderReference, withDefaultTag } from '../image/index.ts';
import { imagesOfWorkload, workloadTypes } from '../inventory/index.ts';
import type { KubeClient } from '../kube/index.ts';
import { controllerOf } from '../object/index.ts';

export interface ClusterImagesOptions {
  readonly client: Pick<KubeClient, 'pages'>;
  /** Where copies go: images there are not sources. */
  readonly to: string;
  readonly namespaces?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

export interface ClusterImages {
  /** Sorted, unique, fully qualified. */
  readonly images: readonly string[];
  /** Image fields of workloads that are not valid image references. */
  readonly passedOver: readonly { readonly image: string; readonly reason: string }[];
}

const maxImages = 100_000;

/**
 * The images of all workloads as their authors wrote them: an image that was replaced by its copy counts as its source.
 */
export async function findClusterImages(options: ClusterImagesOptions): Promise<ClusterImages> {
  const { client, namespaces, signal } = options;
  const { isCopy } = createImageMapper({ target: parseTarget(options.to), mapping: 'path' });
  const images = new Set<string>();
  const passedOver = new Map<string, string>();
  const take = (source: string) => {
    try {
      const reference = withDefaultTag(parseReference(source));
      if (!isCopy(reference)) images.add(renderReference(reference));
    } catch (thrown) {
      passedOver.set(source, errorMessage(thrown));
    }
    if (images.size > maxImages)
      throw new UsageError('mirror-too-many', `the cluster has more than ${maxImages} images; name some namespaces`);
  };
  for (const type of workloadTypes)
    for (const namespace of namespaces ?? [undefined])
      for await (const { items } of client.pages(type, { namespace, limit: 500, signal }))
        for (const workload of items)
          if (controllerOf(workload) === undefined) for (const { source } of imagesOfWorkload(workload)) take(source);
  return {
    images: [...images].sort(),
    passedOver: [...passedOver].map(([image, reason]) => ({ image, reason })),
  };
}
