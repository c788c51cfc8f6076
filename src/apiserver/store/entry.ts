import { renderJson } from '../../base/index.ts';
import type { KubeObject, ObjectMeta } from '../../object/index.ts';

/** The metadata of an object. */
export interface Described {
  readonly metadata: ObjectMeta;
}

/** One object at one revision. */
export interface Entry extends Described {
  readonly revision: number;
  /** The whole object. It may have to be parsed from its text: use `metadata` where that is enough. */
  readonly object: KubeObject;
  /** The JSON for responses and watch events, in pieces; the first starts with apiVersion and kind. */
  readonly texts: readonly string[];
  /** Whether its JSON is ASCII, so that one byte is one character: not all text has to be looked at to encode it. */
  readonly isAscii: boolean;
}

/** An object that is shown but not stored. */
export function entryOf(object: KubeObject, revision: number): Entry {
  const text = renderJson(object);
  return { revision, metadata: object.metadata, object, texts: [text], isAscii: isAscii(text) };
}

export const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

export const jsonOf = ({ texts }: Entry): string => (texts.length === 1 ? texts[0]! : texts.join(''));
