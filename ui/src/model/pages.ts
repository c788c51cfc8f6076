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

interface NeighbourOptions {
  readonly pageSize: number;
  readonly count: number;
  /** So many rows before and after those in sight are wanted too, so that scrolling does not wait for them. */
  readonly reserve: number;
}

/** The pages that come into sight next, those below first: that is where people scroll. */
export function neighbourPages({ first, end }: PageSpan, { pageSize, count, reserve }: NeighbourOptions): number[] {
  const below = pagesOf({ first: end, end: end + reserve }, pageSize, count);
  const above = pagesOf({ first: Math.max(0, first - reserve), end: first }, pageSize, count).reverse();
  return [...below, ...above];
}

/** Pages to keep in memory when there are more than `limit`: those that are nearest to what is shown. */
export function nearestPages(pages: readonly number[], shown: number, limit: number): number[] {
  return [...pages].sort((a, b) => Math.abs(a - shown) - Math.abs(b - shown)).slice(0, limit);
}
