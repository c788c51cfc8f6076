export interface Segment {
  readonly x: number;
  readonly width: number;
}

/** Parts of a bar of `total` units. What is not zero is at least `least` wide: eleven failures of 9,000 are seen. */
export function stackSegments(counts: readonly number[], total: number, least: number): Segment[] {
  const sum = counts.reduce((all, count) => all + count, 0);
  if (sum === 0) return counts.map(() => ({ x: 0, width: 0 }));
  const widths = counts.map((count) => (count === 0 ? 0 : Math.max(least, (count / sum) * total)));
  const over = widths.reduce((all, width) => all + width, 0) - total;
  const widest = widths.indexOf(Math.max(...widths));
  widths[widest] = Math.max(least, widths[widest]! - over);
  let x = 0;
  return widths.map((width) => {
    const segment = { x, width };
    x += width;
    return segment;
  });
}

/** How many of `times` fall into each of `count` equal spans that end at `endMs`. */
export function histogram(times: readonly number[], endMs: number, spanMs: number, count: number): number[] {
  const counts = new Array<number>(count).fill(0);
  for (const time of times) {
    const at = count - 1 - Math.floor((endMs - time) / spanMs);
    if (at >= 0 && at < count) counts[at]! += 1;
  }
  return counts;
}
