/** A value that is made when it is first asked for: what loads at the start and is seldom needed costs every start. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
