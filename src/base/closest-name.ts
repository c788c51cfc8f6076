/** Longer texts are no misspelt names. */
const maxLength = 64;

/** The known name that a misspelt one most likely means; undefined when none is close. */
export function closestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > maxLength) return undefined;
  const lower = given.toLowerCase();
  // Wrong case is the most common mistake.
  const same = known.find((name) => name.toLowerCase() === lower);
  if (same !== undefined) return same;
  const limit = Math.max(1, Math.floor(given.length / 3));
  const ranked = known
    .map((name) => ({ name, distance: editDistance(lower, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.name;
}

/** How many letters must be inserted, removed or replaced. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
