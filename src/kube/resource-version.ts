/**
 * Compares two resource versions of one type; undefined when they are not both decimal numbers. Kubernetes guarantees
 * that they are (since 1.35, and in practice always); other servers may not.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!isDecimal(a) || !isDecimal(b)) return undefined;
  return a.length === b.length ? (a < b ? -1 : 1) : a.length - b.length;
}

// Without leading zeros the longer one is larger, so no conversion is needed: this runs for every event.
const isDecimal = (version: string): boolean => /^[1-9]\d{0,19}$/.test(version);
