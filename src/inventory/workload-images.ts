import { isJsonObject } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import { readSourceImages } from './source-images.ts';

/** One container of a workload, with the source of an image that was replaced by its copy. */
export interface ContainerImage {
  readonly container: string;
  /** The current image of the container. */
  readonly image: string;
  /** The image before it was replaced by a copy; otherwise the same as `image`. */
  readonly source: string;
}

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const podSpecPaths: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};
const templatePath = ['spec', 'template', 'spec'];

/** Every container of a workload, also init and ephemeral ones. Malformed entries are skipped. */
export function imagesOfWorkload(workload: KubeObject): readonly ContainerImage[] {
  let spec: unknown = workload;
  for (const key of podSpecPaths[workload.kind] ?? templatePath) spec = isJsonObject(spec) ? spec[key] : undefined;
  if (!isJsonObject(spec)) return [];
  const replaced = readSourceImages(workload);
  const images: ContainerImage[] = [];
  for (const list of containerLists) {
    const containers = spec[list];
    if (!Array.isArray(containers)) continue;
    for (const container of containers) {
      if (!isJsonObject(container)) continue;
      const { name, image } = container;
      if (typeof name !== 'string' || typeof image !== 'string' || image === '') continue;
      const replacement = replaced.get(name);
      images.push({ container: name, image, source: replacement?.to === image ? replacement.from : image });
    }
  }
  return images;
}
