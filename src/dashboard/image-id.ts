import { createHash } from 'node:crypto';
import {
  type ImageReference,
  parseReference,
  renderReference,
  renderRepository,
  withDefaultTag,
} from '../image/index.ts';
import type { ImageId } from './protocol.ts';

/** The identity of an image, and its parts. */
export interface ImageName {
  readonly id: ImageId;
  readonly repository: string;
  /** Empty for a text that is no image reference. */
  readonly registry: string;
  readonly tag: string;
  readonly digest: string;
}

const maxUnparsed = 200;

/**
 * Any text that a workload may name as its image. One that is no reference stands for itself, cut if it is long. A text
 * in full is its own identity: both are kept for long, as one string.
 */
export function imageNameOf(text: string): ImageName {
  try {
    const name = nameOfReference(withDefaultTag(parseReference(text)));
    return name.id === text ? { ...name, id: text } : name;
  } catch {
    const id = text.length <= maxUnparsed ? text : `${text.slice(0, maxUnparsed)}…${hashOf(text)}`;
    return { id, repository: id, registry: '', tag: '', digest: '' };
  }
}

function nameOfReference(reference: ImageReference): ImageName {
  const { registry, tag = '', digest = '' } = reference;
  const repository = renderRepository(reference);
  return { id: `${repository}${digest === '' ? `:${tag}` : `@${digest}`}`, repository, registry, tag, digest };
}

/** The full text of a reference with tag and digest; the text itself if it is none. */
export function fullText(text: string): string {
  try {
    const full = renderReference(withDefaultTag(parseReference(text)));
    return full === text ? text : full;
  } catch {
    return text.length <= maxUnparsed ? text : imageNameOf(text).id;
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);
