/**
 * Nothing, one item or several. Most images have one workload, one copy and one job: a set for each would be most of
 * the memory.
 */
export type Bag<T extends object> = undefined | T | Set<T>;

export function withItem<T extends object>(bag: Bag<T>, item: T): Bag<T> {
  if (bag === undefined || bag === item) return item;
  if (!(bag instanceof Set)) return new Set([bag, item]);
  return bag.add(item);
}

export function withoutItem<T extends object>(bag: Bag<T>, item: T): Bag<T> {
  if (!(bag instanceof Set)) return bag === item ? undefined : bag;
  bag.delete(item);
  return bag.size === 1 ? bag.values().next().value : bag;
}

export function itemsOf<T extends object>(bag: Bag<T>): Iterable<T> {
  if (bag === undefined) return [];
  return bag instanceof Set ? bag : [bag];
}
