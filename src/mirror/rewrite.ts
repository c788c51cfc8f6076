import { isJsonObject } from '../base/index.ts';
import { readSourceImages, renderSourceImages, sourceImagesAnnotation } from '../inventory/index.ts';
import type { JsonPatchOperation, KubeObject } from '../object/index.ts';
import type { ContainerImageField, PodSpecField } from './workload.ts';

export interface Replaced {
  readonly field: ContainerImageField;
  /** The image that the container gets. */
  readonly image: string;
}

interface RewriteOptions {
  readonly object: KubeObject;
  readonly pod: PodSpecField;
  readonly replaced: readonly Replaced[];
  readonly pullSecret?: string | undefined;
}

/** The smallest patch that sets the copies and records the original images. */
export function rewritePatch(options: RewriteOptions): readonly JsonPatchOperation[] {
  const { object, pod, replaced, pullSecret } = options;
  if (replaced.length === 0) return [];
  return [
    ...replaced.map(({ field, image }) => ({ op: 'replace', path: field.pointer, value: image }) as const),
    ...noteOriginals(object, pod, replaced),
    ...(pullSecret === undefined ? [] : addPullSecret(pod, pullSecret)),
  ];
}

/** Drops the records of containers that are gone or have a different image now. */
function noteOriginals(
  object: KubeObject,
  { images: fields }: PodSpecField,
  replaced: readonly Replaced[],
): readonly JsonPatchOperation[] {
  const before = readSourceImages(object);
  const notes = new Map(
    fields.flatMap(({ name, image }) => {
      const note = before.get(name);
      return note?.to === image ? [[name, note] as const] : [];
    }),
  );
  for (const { field, image } of replaced) notes.set(field.name, { from: field.origin ?? field.image, to: image });
  const value = renderSourceImages(notes);
  const annotations = object.metadata.annotations;
  if (!isJsonObject(annotations))
    return [{ op: 'add', path: '/metadata/annotations', value: { [sourceImagesAnnotation]: value } }];
  return [{ op: 'add', path: `/metadata/annotations/${escapePointer(sourceImagesAnnotation)}`, value }];
}

function addPullSecret({ pointer, spec }: PodSpecField, name: string): readonly JsonPatchOperation[] {
  const present = spec['imagePullSecrets'];
  if (!Array.isArray(present)) return [{ op: 'add', path: `${pointer}/imagePullSecrets`, value: [{ name }] }];
  const exists = present.some((entry) => isJsonObject(entry) && entry['name'] === name);
  return exists ? [] : [{ op: 'add', path: `${pointer}/imagePullSecrets/-`, value: { name } }];
}

const escapePointer = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1');
