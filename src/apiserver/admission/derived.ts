import type { Collection } from '../store/collection.ts';

/** What is made of the objects of some collections: made when it is first asked for, and again after a change. */
export function derived<T>(collections: readonly Pick<Collection, 'listen'>[], make: () => T): () => T {
  let known: { readonly value: T } | undefined;
  for (const collection of collections) {
    collection.listen(() => {
      known = undefined;
    });
  }
  return () => {
    known ??= { value: make() };
    return known.value;
  };
}
