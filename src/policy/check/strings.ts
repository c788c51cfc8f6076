import { isJsonObject } from '../../base/index.ts';
import { fieldOf } from './issues.ts';

/** A text inside a document: a value, or a key (then the path is that of the object it is a key of). */
export interface FoundText {
  readonly text: string;
  readonly path: string;
  readonly isKey: boolean;
}

/** All texts of a document, keys included, in the order they are written. */
export function* textsOf(value: unknown, path: string): Generator<FoundText> {
  if (typeof value === 'string') yield { text: value, path, isKey: false };
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* textsOf(item, `${path}[${i}]`);
  else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      yield { text: key, path, isKey: true };
      yield* textsOf(item, fieldOf(path, key));
    }
  }
}
