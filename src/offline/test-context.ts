import { type Files, placeOf, readDocuments } from '../manifests/index.ts';
import type { KubeObject } from '../object/index.ts';
import { listOf, map, type Reader, refuse, shape, text } from './strict.ts';

/** What the libraries of CEL find in a test (`cli.kyverno.io/v1alpha1`, kind Context), instead of a cluster. */
interface TestContext {
  readonly objects: readonly KubeObject[];
  readonly images: ReadonlyMap<string, unknown>;
}

interface ContextFile {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: unknown;
  readonly spec?: { readonly resources?: readonly unknown[]; readonly images?: readonly unknown[] };
}

const readContext: Reader<ContextFile> = shape<ContextFile>({
  apiVersion: text,
  kind: text,
  metadata: map,
  spec: shape<NonNullable<ContextFile['spec']>>({ resources: listOf(map), images: listOf(map) }),
});

export function loadContext(files: Files, path: string): TestContext {
  const objects: KubeObject[] = [];
  const images = new Map<string, unknown>();
  for (const document of readDocuments(files, path)) {
    const where = placeOf(document);
    const { kind = 'Context', spec = {} } = readContext(document.value, where);
    if (kind !== 'Context') refuse(where, `kind: Context is expected here, not ${kind}`);
    for (const object of (spec.resources ?? []) as readonly KubeObject[]) {
      if (!object.apiVersion || !object.kind || !object.metadata) refuse(where, 'a resource has no kind or metadata');
      objects.push(object);
    }
    for (const image of (spec.images ?? []) as readonly { readonly image?: string }[]) {
      if (!image.image) refuse(where, 'an image is not named');
      else images.set(image.image, image);
    }
  }
  return { objects, images };
}
