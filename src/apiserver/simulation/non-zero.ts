/** Omits zero counts from a status, as Go does. */
export function nonZero<T extends Readonly<Record<string, number | undefined>>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count)) as Partial<T>;
}
