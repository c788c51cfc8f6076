import type { ImageDetected } from '../api/index.ts';
import { isJsonObject, type Json, parseYamlDocuments } from '../base/index.ts';
import type { DuplicateCheck } from './duplicate.ts';
import type { PlannedFile } from './file-plan.ts';

interface OwnerQuestion {
  readonly file: PlannedFile;
  /** The content of the branch at this path. */
  readonly present: string;
  readonly spec: Pick<ImageDetected['spec'], 'fullImageName' | 'imageTag' | 'tagPrefix'>;
  readonly check: DuplicateCheck;
}

/**
 * The other image for which a file of the branch was written. It is read from the fields in which our own rendering
 * names its image, whatever their names are. Undefined for a file that names our image or no image in these fields: it
 * is ours, shared or written by a person. Pure.
 */
export function findOtherOwner({ file, present, spec, check }: OwnerQuestion): string | undefined {
  const image = spec.fullImageName.slice(0, -spec.imageTag.length - 1);
  const slash = image.indexOf('/');
  const [registry, path] = [image.slice(0, Math.max(0, slash)), image.slice(slash + 1)];
  const mine = file.documents.map(({ value }) => textsIn(value));
  const theirs = documentsOf(present);
  /** The value in place of a name; undefined if the existing file has the same name or no value there. */
  const replacementOf = (name: string, own = name) => {
    const names = createNaming(name, spec.tagPrefix ?? '');
    const owns = createNaming(own, spec.tagPrefix ?? '');
    if (theirs.some((texts) => [...texts.values()].some((text) => owns.isIn(text)))) return undefined;
    for (const [index, texts] of mine.entries())
      for (const [place, text] of texts) {
        const before = names.prefixIn(text);
        const other = theirs[index]?.get(place);
        if (before === undefined || !other?.startsWith(before)) continue;
        const found = other.slice(before.length).split(/\s/, 1)[0];
        if (found) return found;
      }
    return undefined;
  };
  const isNamed = (name: string) =>
    name !== '' && mine.some((texts) => [...texts.values()].some((text) => createNaming(name, '').isIn(text)));
  // With `baseName`, images with the same last path segment count as one, whatever their registry.
  if (isNamed(image))
    return replacementOf(image, check === 'baseName' ? image.slice(image.lastIndexOf('/') + 1) : image);
  // Helm values have the registry and the repository in separate fields.
  if (!isNamed(path) || check === 'baseName') return undefined;
  return replacementOf(path) ?? (isNamed(registry) ? replacementOf(registry) : undefined);
}

/** Whether a text names the image or a part of its name, and not a longer name. */
function createNaming(name: string, tagPrefix: string) {
  const found = (text: string): number | undefined => {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
      const rest = text.slice(at + name.length);
      if (/[a-z0-9._-]$/i.test(text.slice(0, at)) || /^(?:[a-z0-9_/-]|\.[a-z0-9])/i.test(rest)) continue;
      const tag = /^:([\w.-]+)/.exec(rest)?.[1];
      if (tag === undefined || tag.startsWith(tagPrefix)) return at;
    }
    return undefined;
  };
  return {
    isIn: (text: string) => found(text) !== undefined,
    prefixIn: (text: string) => {
      const at = found(text);
      return at === undefined ? undefined : text.slice(0, at);
    },
  };
}

function documentsOf(content: string): readonly ReadonlyMap<string, string>[] {
  try {
    return parseYamlDocuments(content).map(({ value }) => textsIn(value));
  } catch {
    // Not valid YAML. As one string it can still name our image.
    return [new Map([['', content]])];
  }
}

/** All strings of a document by their path. */
function textsIn(value: Json): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const open: [string, Json][] = [['', value]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [place, one] = next;
    if (typeof one === 'string') texts.set(place, one);
    else if (Array.isArray(one)) for (const [i, item] of one.entries()) open.push([`${place}/${i}`, item]);
    else if (isJsonObject(one))
      for (const [key, item] of Object.entries(one)) if (item !== undefined) open.push([`${place}/${key}`, item]);
  }
  return texts;
}
