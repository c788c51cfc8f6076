import { renderJson } from '../../base/index.ts';
import type { KubeObject, ObjectMeta } from '../../object/index.ts';

/** An object as far as its metadata tell. */
export interface Described {
  readonly metadata: ObjectMeta;
}

/** One object at one revision. */
export interface Entry extends Described {
  readonly revision: number;
  /** The whole object. Of a stored one it may have to be read from its text: ask `metadata` where that is enough. */
  readonly object: KubeObject;
  /** The JSON that answers and watch events are made of, in pieces; the first begins with apiVersion and kind. */
  readonly texts: readonly string[];
}

/** An object that is shown but not stored. */
export function entryOf(object: KubeObject, revision: number): Entry {
  return { revision, metadata: object.metadata, object, texts: [renderJson(object)] };
}

export const jsonOf = ({ texts }: Entry): string => (texts.length === 1 ? texts[0]! : texts.join(''));
