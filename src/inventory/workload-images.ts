import { isJsonObject } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import { readSourceImages } from './source-images.ts';

/** One container of a workload, by what it was meant to run: the source of an image that was replaced by its copy. */
export interface ContainerImage {
  readonly container: string;
  /** As the container has it now. */
  readonly image: string;
  /** As it was written before a copy took its place; the same as `image` otherwise. */
  readonly source: string;
}

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const podSpecPaths: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};
const templatePath = ['spec', 'template', 'spec'];

/** Every container of a workload: init and ephemeral ones too. Whatever is malformed is left out. */
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
