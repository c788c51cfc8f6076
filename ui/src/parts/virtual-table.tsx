import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { place } from '../data/app-state.ts';
import { listWindow, scrollTo } from '../model/list-window.ts';
import { renderPlace, withParams } from '../model/location.ts';
import type { PageSpan } from '../model/pages.ts';
import { Icon } from './icon.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly isNumber?: boolean;
  /** The value of `sort` that orders by this column, and the order that people want first. */
  readonly sort?: { readonly by: string; readonly first: 'asc' | 'desc' };
  readonly cell: (row: Row) => ComponentChildren;
}

export interface VirtualTableProps<Row> {
  readonly label: string;
  /** The class that has the widths of the columns. */
  readonly layout: string;
  readonly columns: readonly Column<Row>[];
  readonly count: number;
  readonly rowAt: (index: number) => Row | undefined;
  readonly onShow: (rows: PageSpan) => void;
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  readonly defaultSort?: { readonly by: string; readonly order: 'asc' | 'desc' };
}

// Rows beyond both edges: what a fast turn of the wheel moves before the browser draws again.
const margin = 16;

/** A table of any length: only the rows in sight are elements. All rows have the height `--row`. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>): JSX.Element {
  const { label, layout, columns, count, rowAt, onShow, chosen, onChoose } = props;
  const scroller = useRef<HTMLElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const [view, setView] = useState({ scrolled: 0, height: 1200, rowHeight: 38 });

  useLayoutEffect(() => {
    const element = scroller.current!;
    const measure = () => {
      const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) || 38;
      const scrolled = Math.max(0, element.scrollTop);
      const height = element.clientHeight;
      setView((old) =>
        old.scrolled === scrolled && old.height === height && old.rowHeight === rowHeight
          ? old
          : { scrolled, height, rowHeight },
      );
    };
    // On a phone a row may have nothing that takes the focus.
    element.tabIndex = 0;
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);

  useLayoutEffect(() => {
    const element = body.current!;
    const click = (event: MouseEvent) => {
      const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null;
      if (row === null) return;
      onChoose(Number(row.dataset['row']));
      followRow(event, row);
    };
    element.addEventListener('click', click);
    return () => element.removeEventListener('click', click);
  }, [onChoose]);

  const { first, end } = listWindow(view, view.rowHeight, count, margin);
  useLayoutEffect(() => onShow({ first, end }), [first, end, onShow]);

  useLayoutEffect(() => {
    if (chosen < 0) return;
    const element = scroller.current!;
    const head = element.querySelector('.head')!.clientHeight;
    const height = element.clientHeight - head;
    const top = scrollTo(chosen, { scrolled: element.scrollTop, height }, view.rowHeight);
    if (top !== undefined) element.scrollTop = top;
    const focus = () =>
      body.current?.querySelector<HTMLElement>(`[data-row="${chosen}"] a`)?.focus({ preventScroll: true });
    // A row that was out of sight is rendered after the scroll event.
    const frame = requestAnimationFrame(() => requestAnimationFrame(focus));
    return () => cancelAnimationFrame(frame);
  }, [chosen, view.rowHeight]);

  const rows: JSX.Element[] = [];
  for (let index = first; index < end; index++) {
    const row = rowAt(index);
    rows.push(
      <tr
        key={index}
        aria-rowindex={index + 2}
        data-row={index}
        class={`row${index === chosen ? ' chosen' : ''}${row === undefined ? ' loading' : ''}`}
        style={{ transform: `translateY(${index * view.rowHeight}px)` }}
      >
        {columns.map(({ id, isNumber, cell }) => (
          <td key={id} class={`cell c-${id}${isNumber ? ' number' : ''}`}>
            {row === undefined ? <span class="skeleton" /> : cell(row)}
          </td>
        ))}
      </tr>,
    );
  }
  return (
    <section class={`scroller ${layout}`} ref={scroller} aria-label={label}>
      <table aria-label={label} aria-rowcount={count + 1}>
        <thead>
          <tr class="head" aria-rowindex={1}>
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} defaultSort={props.defaultSort} />
            ))}
          </tr>
        </thead>
        <tbody class="rows virtual" ref={body} style={{ height: `${count * view.rowHeight}px` }}>
          {rows}
        </tbody>
      </table>
    </section>
  );
}

/** A click anywhere in a row opens it, unless it was meant for something else in the row or for selecting text. */
function followRow(event: MouseEvent, row: HTMLElement): void {
  if (!(event.target instanceof Element) || event.target.closest('a, button')) return;
  if (event.button !== 0 || event.ctrlKey || event.metaKey || getSelection()?.type === 'Range') return;
  row.querySelector<HTMLElement>('a')?.click();
}

function HeadCell<Row>({
  column: { id, title, isNumber, sort },
  defaultSort,
}: {
  column: Column<Row>;
  defaultSort: VirtualTableProps<Row>['defaultSort'];
}): JSX.Element {
  const { sort: by = defaultSort?.by, order } = place.value.params;
  const isSorted = sort !== undefined && sort.by === by;
  const now = isSorted ? (order ?? (by === defaultSort?.by ? defaultSort?.order : sort.first)) : undefined;
  const next = now === undefined ? sort?.first : now === 'asc' ? 'desc' : 'asc';
  return (
    <th
      scope="col"
      class={`cell c-${id}${isNumber ? ' number' : ''}`}
      aria-sort={now === undefined ? undefined : now === 'asc' ? 'ascending' : 'descending'}
    >
      {sort === undefined ? (
        title || <span class="unseen">Actions</span>
      ) : (
        <a href={renderPlace(withParams(place.value, { sort: sort.by, order: next }))}>
          {title}
          {now !== undefined && <Icon name={now === 'asc' ? 'up' : 'down'} size={12} />}
        </a>
      )}
    </th>
  );
}
