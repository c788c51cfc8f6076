import type { Page, Some } from './protocol.ts';
import { InvalidQuery, type Query } from './query.ts';

const maxLimit = 500;
const defaultLimit = 200;
const maxOffset = 10_000_000;

/** Where a row stands in a sorted list: its sort value, and its id for equal ones. */
export interface Place {
  readonly value: string | number;
  readonly id: string;
}

interface PageOptions<Item, Row> {
  readonly query: Query;
  /** Sorted by the places. */
  readonly matched: readonly Item[];
  readonly total: number;
  readonly placeOf: (item: Item) => Place;
  readonly order: 'asc' | 'desc';
  readonly rowOf: (item: Item) => Row;
}

/** A cursor names the last row by its place, so that rows which come and go move no other row in or out of the page. */
export function pageOf<Item, Row>(options: PageOptions<Item, Row>): Page<Row> {
  const { query, matched, total, placeOf, order, rowOf } = options;
  const limit = query.integer('limit', 1, maxLimit) ?? defaultLimit;
  const cursor = query.text('cursor');
  const offset =
    cursor === undefined
      ? (query.integer('offset', 0, maxOffset) ?? 0)
      : firstAfter(matched, placeOf, order, parseCursor(cursor));
  const items = matched.slice(offset, offset + limit);
  const last = items.at(-1);
  const hasMore = offset + limit < matched.length;
  return {
    items: items.map(rowOf),
    total,
    matched: matched.length,
    offset: Math.min(offset, matched.length),
    ...(hasMore && last !== undefined ? { cursor: renderCursor(placeOf(last)) } : {}),
  };
}

export function sortByPlace<Item>(items: Item[], placeOf: (item: Item) => Place, order: 'asc' | 'desc'): Item[] {
  const placed = items.map((item) => ({ item, place: placeOf(item) }));
  placed.sort((a, b) => comparePlaces(a.place, b.place, order));
  return placed.map(({ item }) => item);
}

/** Equal values are in the order of their ids, in both directions. */
function comparePlaces(a: Place, b: Place, order: 'asc' | 'desc'): number {
  if (a.value !== b.value) return (a.value < b.value ? -1 : 1) * (order === 'asc' ? 1 : -1);
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function firstAfter<Item>(
  items: readonly Item[],
  placeOf: (item: Item) => Place,
  order: 'asc' | 'desc',
  place: Place,
): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePlaces(placeOf(items[middle]!), place, order) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const renderCursor = ({ value, id }: Place) => Buffer.from(JSON.stringify([value, id])).toString('base64url');

function parseCursor(text: string): Place {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(value) && value.length === 2) {
      const [first, id] = value as readonly unknown[];
      if ((typeof first === 'string' || typeof first === 'number') && typeof id === 'string')
        return { value: first, id };
    }
  } catch {
    // Told below.
  }
  throw new InvalidQuery('cursor is not one of ours');
}

/** The first rows of a list. */
export const someOf = <Item, Row>(items: readonly Item[], max: number, rowOf: (item: Item) => Row): Some<Row> => ({
  items: items.slice(0, max).map(rowOf),
  total: items.length,
});
