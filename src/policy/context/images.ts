import { getOwn, isJsonObject, type JsonObject, setOwn } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { PolicyError } from '../errors.ts';
import type { ImageExtractor } from '../types.ts';
import { compileExpression } from '../variables/index.ts';
import { type ImageInfo, parseImage } from './image-info.ts';

interface ImageEntry extends ImageInfo {
  /** The position of the image in the object. */
  readonly jsonPointer: string;
}

/** By kind of container (`containers`, `initContainers`, …) and name of the container. */
type ImageMap = Readonly<Record<string, Readonly<Record<string, ImageEntry>>>>;

interface Extractor {
  readonly name: string;
  readonly fields: readonly string[];
  readonly key: string;
  readonly value: string;
  readonly jmesPath: string;
}

const podSpec: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec'],
  DaemonSet: ['spec', 'template', 'spec'],
  Deployment: ['spec', 'template', 'spec'],
  ReplicaSet: ['spec', 'template', 'spec'],
  ReplicationController: ['spec', 'template', 'spec'],
  StatefulSet: ['spec', 'template', 'spec'],
  Job: ['spec', 'template', 'spec'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};

/** The images of an object, by the extractors of the rule if it has some for the kind. */
export function imagesOf(object: KubeObject, custom?: Readonly<Record<string, readonly ImageExtractor[]>>): ImageMap {
  const images: Record<string, Record<string, ImageEntry>> = {};
  for (const extractor of extractorsOf(object.kind, custom)) {
    const found: Record<string, ImageEntry> = {};
    extract(object, [], extractor.fields, extractor, found);
    if (Object.keys(found).length > 0) {
      setOwn(images, extractor.name, { ...getOwn(images, extractor.name), ...found });
    }
  }
  return images;
}

function extractorsOf(
  kind: string,
  custom?: Readonly<Record<string, readonly ImageExtractor[]>>,
): readonly Extractor[] {
  const own = custom && getOwn(custom, kind);
  if (own) return own.map(customExtractor);
  const path = getOwn(podSpec, kind);
  if (!path) return [];
  return ['initContainers', 'containers', 'ephemeralContainers'].map((list) => ({
    name: list,
    fields: [...path, list, '*'],
    key: 'name',
    value: 'image',
    jmesPath: '',
  }));
}

function customExtractor({ path, value, name, key, jmesPath }: ImageExtractor): Extractor {
  const fields = path
    .split('/')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return {
    name: name || 'custom',
    fields: value ? fields : fields.slice(0, -1),
    key: key ?? '',
    value: value || (fields.at(-1) ?? ''),
    jmesPath: jmesPath ?? '',
  };
}

function extract(
  value: unknown,
  path: readonly string[],
  fields: readonly string[],
  extractor: Extractor,
  found: Record<string, ImageEntry>,
): void {
  if (value === undefined || value === null) return;
  const [head, ...rest] = fields;
  if (head === '*') {
    const isList = Array.isArray(value);
    for (const [key, item] of Object.entries(value)) {
      // A list inside a list is matched by the same `*` again.
      if (isJsonObject(item)) extract(item, [...path, key], rest, extractor, found);
      else if (Array.isArray(item)) extract(item, [...path, key], isList ? fields : rest, extractor, found);
    }
    return;
  }
  if (!isJsonObject(value)) throw new PolicyError('policy-image-invalid', 'invalid image config');
  if (head !== undefined) extract(value[head], [...path, head], rest, extractor, found);
  else extractOne(value, path, extractor, found);
}

function extractOne(
  holder: JsonObject,
  path: readonly string[],
  extractor: Extractor,
  found: Record<string, ImageEntry>,
): void {
  const jsonPointer = `/${[...path, extractor.value].join('/')}`;
  const key = extractor.key === '' ? jsonPointer : holder[extractor.key];
  if (typeof key !== 'string') throw new PolicyError('policy-image-invalid', 'invalid key');
  const image = holder[extractor.value];
  if (typeof image !== 'string' || image.trim() === '') return;
  const text = extractor.jmesPath === '' ? image : compileExpression(extractor.jmesPath).evaluate(image);
  if (typeof text !== 'string')
    throw new PolicyError('policy-image-invalid', `jmespath ${extractor.jmesPath} must produce a string`);
  setOwn(found, key, { ...parseImage(text), jsonPointer });
}
