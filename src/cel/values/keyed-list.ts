import { renderJson } from '../../base/index.ts';
import { isPlainMap } from './values.ts';

/**
 * A list whose elements are told apart by what they are or by some of their fields, as the sets and maps of a schema:
 * its order does not count when it is compared, and adding to it replaces.
 */
export class KeyedList extends Array<unknown> {
  keyOf: (item: unknown) => string = String;

  /** Lists that are made of it are plain. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  plus(other: readonly unknown[]): KeyedList {
    const places = new Map(this.map((item, i) => [this.keyOf(item), i]));
    const items = [...this];
    for (const item of other) {
      const place = places.get(this.keyOf(item));
      if (place === undefined) items.push(item);
      else items.splice(place, 1, item);
    }
    return withKeys(items, this.keyOf);
  }

  /** The element for each of the other list, in its order; undefined where there is none. */
  alignedWith(other: readonly unknown[]): readonly unknown[] {
    const items = new Map(this.map((item) => [this.keyOf(item), item]));
    return other.map((item) => items.get(this.keyOf(item)));
  }
}

function withKeys(items: readonly unknown[], keyOf: KeyedList['keyOf']): KeyedList {
  const list = new KeyedList();
  list.push(...items);
  list.keyOf = keyOf;
  return list;
}

/** `keys` are the fields that tell elements apart; without them the whole element does. */
export function keyedList(items: readonly unknown[], keys: readonly string[] | undefined): KeyedList {
  const partsOf = (item: unknown) => (keys && isPlainMap(item) ? keys.map((key) => item[key] ?? null) : [item]);
  return withKeys(items, (item) => renderJson(partsOf(item)));
}
