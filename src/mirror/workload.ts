import { isJsonObject, type JsonObject } from '../base/index.ts';
import { readSourceImages } from '../inventory/index.ts';
import { controllerOf, type KubeObject } from '../object/index.ts';

/** Where the pod spec of each kind is, and whether its images are immutable after creation. */
interface WorkloadKind {
  readonly podPath: readonly string[];
  readonly isImmutable: boolean;
}

const kinds: Readonly<Record<string, WorkloadKind>> = {
  Deployment: { podPath: ['spec', 'template', 'spec'], isImmutable: false },
  DaemonSet: { podPath: ['spec', 'template', 'spec'], isImmutable: false },
  StatefulSet: { podPath: ['spec', 'template', 'spec'], isImmutable: false },
  Job: { podPath: ['spec', 'template', 'spec'], isImmutable: true },
  CronJob: { podPath: ['spec', 'jobTemplate', 'spec', 'template', 'spec'], isImmutable: false },
  Pod: { podPath: ['spec'], isImmutable: true },
};

export const workloadKinds = Object.keys(kinds);

export const isImmutable = (kind: string) => kinds[kind]?.isImmutable ?? true;

/** One container whose image may be replaced. */
export interface ContainerImageField {
  readonly name: string;
  readonly image: string;
  /** The original image according to the annotation; absent when the image was not replaced. */
  readonly origin?: string;
  /** JSON pointer of the image. */
  readonly pointer: string;
}

export interface PodSpecField {
  /** JSON pointer of the pod's spec. */
  readonly pointer: string;
  readonly spec: JsonObject;
  readonly images: readonly ContainerImageField[];
}

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** The pod spec in a workload; undefined without one. Malformed parts are skipped: the API server rejects them. */
export function podSpecFieldOf(object: KubeObject): PodSpecField | undefined {
  const kind = kinds[object.kind];
  if (!kind) return undefined;
  let value: unknown = object;
  for (const key of kind.podPath) value = isJsonObject(value) ? value[key] : undefined;
  if (!isJsonObject(value)) return undefined;
  const spec = value;
  const pointer = `/${kind.podPath.join('/')}`;
  const notes = readSourceImages(object);
  const fields = lists.flatMap((list) => imageFieldsOf(spec[list], `${pointer}/${list}`, notes));
  return { pointer, spec, images: fields };
}

function imageFieldsOf(
  containers: unknown,
  pointer: string,
  notes: ReturnType<typeof readSourceImages>,
): readonly ContainerImageField[] {
  if (!Array.isArray(containers)) return [];
  return containers.flatMap((container, i): ContainerImageField[] => {
    if (!isJsonObject(container)) return [];
    const { name, image } = container;
    if (typeof name !== 'string' || typeof image !== 'string' || image === '') return [];
    const note = notes.get(name);
    const origin = note?.to === image ? { origin: note.from } : {};
    return [{ name, image, ...origin, pointer: `${pointer}/${i}/image` }];
  });
}

/** Containers that are new or have a new image. */
export function changedImages(now: PodSpecField, before: PodSpecField | undefined): readonly ContainerImageField[] {
  const known = new Map((before?.images ?? []).map(({ name, image }) => [name, image]));
  return now.images.filter(({ name, image }) => known.get(name) !== image);
}

/**
 * Rewriting an object of a controller would make the controller create another one, endlessly. Pods in `pods` mode are
 * the exception: controllers do not compare a pod with its template.
 */
export function isRewritable(object: KubeObject, rewrite: 'workloads' | 'pods'): boolean {
  if (rewrite === 'pods') return object.kind === 'Pod';
  return object.kind !== 'Pod' && controllerOf(object) === undefined;
}

const gitOpsMetadata = {
  labels: ['kustomize.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/name', 'argocd.argoproj.io/instance'],
  annotations: ['argocd.argoproj.io/tracking-id'],
} as const;

/** A GitOps tool would revert the rewrite, and the rewrite would be repeated. */
export function isTrackedByGitOps({ metadata }: KubeObject): boolean {
  return (
    gitOpsMetadata.labels.some((label) => metadata.labels?.[label] !== undefined) ||
    gitOpsMetadata.annotations.some((annotation) => metadata.annotations?.[annotation] !== undefined)
  );
}
