/**
 * Orders two resource versions of one type; undefined when they are not both decimal numbers. Kubernetes promises
 * that they are (since 1.35, and in fact always was so); other servers may not.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!isDecimal(a) || !isDecimal(b)) return undefined;
  return a.length === b.length ? (a < b ? -1 : 1) : a.length - b.length;
}

// Without leading zeros a longer one is larger, so that no conversion is needed: this runs for every event.
const isDecimal = (version: string): boolean => /^[1-9]\d{0,19}$/.test(version);
