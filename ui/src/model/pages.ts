export interface PageSpan {
  readonly first: number;
  readonly end: number;
}

/** The pages that hold rows `first` to `end` (exclusive) of `count`. */
export function pagesOf(rows: PageSpan, pageSize: number, count: number): number[] {
  const last = Math.min(rows.end, count) - 1;
  const pages: number[] = [];
  for (let page = Math.floor(Math.max(0, rows.first) / pageSize); page * pageSize <= last; page++) pages.push(page);
  return pages;
}

/** Pages to keep in memory when there are more than `limit`: those that are nearest to what is shown. */
export function nearestPages(pages: readonly number[], shown: number, limit: number): number[] {
  return [...pages].sort((a, b) => Math.abs(a - shown) - Math.abs(b - shown)).slice(0, limit);
}
