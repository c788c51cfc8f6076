import { type ReadonlySignal, signal } from '@preact/signals';
import type { Page } from '../../../src/dashboard/protocol.ts';
import type { Interest } from '../model/changes.ts';
import { nearestPages, neighbourPages, type PageSpan, pagesOf } from '../model/pages.ts';
import { type ApiError, get } from './api.ts';
import { isVisible, onChange } from './app-state.ts';
import { createRefresher } from './refresher.ts';
import { noteAnswer, retryAfterMs } from './resource.ts';

export const pageSize = 200;
// What a fast turn of the wheel passes in half a second. At the top of a list one page is enough.
const reserve = 150;
// 40 pages are 8,000 rows: what a person scrolled past long ago is loaded again when needed.
const maxPages = 40;

export interface ListState<Row, Answer extends Page<Row>> {
  /** The newest answer, for the counts beside the rows. */
  readonly answer?: Answer;
  readonly matched: number;
  readonly error?: ApiError;
  readonly pages: ReadonlyMap<number, readonly Row[]>;
}

export interface List<Row, Answer extends Page<Row>> {
  readonly path: string;
  readonly state: ReadonlySignal<ListState<Row, Answer>>;
  /** The rows that are in sight: their pages are loaded and kept up to date. */
  show(rows: PageSpan): void;
  stop(): void;
}

/** A list that is loaded page by page as it is scrolled. `path` has the filter. */
export function createList<Row, Answer extends Page<Row>>(path: string, interest: Interest): List<Row, Answer> {
  const state = signal<ListState<Row, Answer>>({ matched: 0, pages: new Map() });
  const stale = new Set<number>();
  let inSight: PageSpan = { first: 0, end: 1 };

  const pageAt = (page: number) =>
    `${path}${path.includes('?') ? '&' : '?'}limit=${pageSize}&offset=${page * pageSize}`;
  const isKnown = () => state.peek().answer !== undefined;
  const wantedPage = (): number | undefined => {
    if (!isKnown()) return 0;
    const { matched, pages } = state.peek();
    const shown = pagesOf(inSight, pageSize, matched);
    // An empty list has no page in sight; its first page says when it is no longer empty.
    if (shown.length === 0 && stale.has(0)) return 0;
    const isMissing = (page: number) => !pages.has(page);
    return (
      shown.find(isMissing) ??
      shown.find((page) => stale.has(page)) ??
      neighbourPages(inSight, { pageSize, count: matched, reserve }).find(isMissing)
    );
  };

  function keep(page: number, answer: Answer): void {
    const { pages } = state.peek();
    const count = Math.ceil(answer.matched / pageSize);
    const numbers = nearestPages(
      [...new Set([...pages.keys(), page])].filter((number) => number < count),
      page,
      maxPages,
    );
    const kept = new Map(numbers.map((number) => [number, number === page ? answer.items : pages.get(number)!]));
    stale.delete(page);
    state.value = { answer, matched: answer.matched, pages: kept };
  }

  const refresher = createRefresher({
    isAllowed: isVisible,
    async load(signal) {
      for (let page = wantedPage(); page !== undefined && isVisible.peek(); page = wantedPage()) {
        const answer = await get<Answer>(pageAt(page), signal);
        noteAnswer(answer);
        if (!answer.ok) {
          state.value = { ...state.peek(), error: answer.error };
          return retryAfterMs(answer.error);
        }
        keep(page, answer.value);
      }
      return undefined;
    },
    minPauseMs: 50,
  });
  refresher.request();
  const unsubscribe = onChange(interest, () => {
    for (const page of state.peek().pages.keys()) stale.add(page);
    stale.add(0);
    refresher.request();
  });
  return {
    path,
    state,
    show(rows) {
      inSight = rows;
      if (wantedPage() !== undefined) refresher.request();
    },
    stop() {
      unsubscribe();
      refresher.stop();
    },
  };
}

/**
 * Every row of a filter, for an export: page by page, as the server allows. It goes on while the tab is hidden: a person
 * has asked for it, and it ends by itself.
 */
export async function readAll<Row>(path: string, signal: AbortSignal): Promise<readonly Row[] | ApiError> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const at = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await get<Page<Row>>(`${path}${path.includes('?') ? '&' : '?'}limit=500${at}`, signal);
    noteAnswer(answer);
    if (!answer.ok) return answer.error;
    rows.push(...answer.value.items);
    cursor = answer.value.items.length === 0 ? undefined : answer.value.cursor;
  } while (cursor !== undefined);
  return rows;
}
