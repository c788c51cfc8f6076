import { isJsonObject, type JsonObject } from '../base/index.ts';
import { readSourceImages } from '../inventory/index.ts';
import { controllerOf, type KubeObject } from '../object/index.ts';

/** Where the pod of each kind is, and whether its images can be changed once it is there. */
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
  /** What a copy took the place of, as the annotation says; absent where the image is as it was written. */
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

/** The pod inside a workload, or undefined where there is none. Whatever is malformed is the API server's to refuse. */
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

/** The containers that a change brought, or gave another image. */
export function changedImages(now: PodSpecField, before: PodSpecField | undefined): readonly ContainerImageField[] {
  const known = new Map((before?.images ?? []).map(({ name, image }) => [name, image]));
  return now.images.filter(({ name, image }) => known.get(name) !== image);
}

/**
 * A rewritten object of a controller would make that controller create another one, for ever. Pods are the exception
 * where pods are what is rewritten: nobody compares a pod with its template.
 */
export function isRewritable(object: KubeObject, rewrite: 'workloads' | 'pods'): boolean {
  if (rewrite === 'pods') return object.kind === 'Pod';
  return object.kind !== 'Pod' && controllerOf(object) === undefined;
}

const gitOpsMetadata = {
  labels: ['kustomize.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/name', 'argocd.argoproj.io/instance'],
  annotations: ['argocd.argoproj.io/tracking-id'],
} as const;

/** Whoever keeps the object in step with a repository would undo the rewriting, and be undone. */
export function isTrackedByGitOps({ metadata }: KubeObject): boolean {
  return (
    gitOpsMetadata.labels.some((label) => metadata.labels?.[label] !== undefined) ||
    gitOpsMetadata.annotations.some((annotation) => metadata.annotations?.[annotation] !== undefined)
  );
}
