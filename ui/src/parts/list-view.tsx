import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import type { Page, ShownKind } from '../../../src/dashboard/protocol.ts';
import { place, signedIn } from '../data/app-state.ts';
import { onAction } from '../data/keyboard.ts';
import { createList, pageSize } from '../data/list.ts';
import type { Interest } from '../model/changes.ts';
import { renderCount } from '../model/format.ts';
import { pickParams } from '../model/location.ts';
import { CopyButton, copyText } from './controls.tsx';
import { type ExportColumns, ExportMenu } from './export-menu.tsx';
import { ErrorBanner, ErrorNotice, Loading, Notice, type NoticeProps } from './notice.tsx';
import { type Column, VirtualTable, type VirtualTableProps } from './virtual-table.tsx';

/** A view that is a list: what differs between them. Made once, not by each rendering. */
export interface ListDefinition<Row, Answer extends Page<Row>> {
  readonly label: string;
  /** `/api/images`. */
  readonly path: string;
  /** Parameters of the page's URL that the API has too. */
  readonly filters: readonly string[];
  /** Parameters of the API that follow from the view itself. */
  readonly fixed?: Readonly<Record<string, string>>;
  readonly interest: Interest;
  /** What the user must be able to list, to see any row. */
  readonly kind: ShownKind;
  readonly layout: string;
  readonly columns: readonly Column<Row>[];
  readonly defaultSort?: NonNullable<VirtualTableProps<Row>['defaultSort']>;
  readonly exported: ExportColumns<Row>;
  /** What shows the row in a terminal. */
  readonly command: (row: Row) => string;
  readonly tools: (answer: Answer | undefined) => ComponentChildren;
  /** When there is nothing even without a filter. */
  readonly empty: NoticeProps;
}

export function ListView<Row, Answer extends Page<Row>>({
  definition,
}: {
  definition: ListDefinition<Row, Answer>;
}): JSX.Element {
  const { label, command, tools, empty } = definition;
  const query = pickParams(place.value.params, definition.filters);
  for (const [name, value] of Object.entries(definition.fixed ?? {})) query.set(name, value);
  const path = query.size === 0 ? definition.path : `${definition.path}?${query}`;
  // The columns of a row's terminal command belong to every list.
  const columns = useMemo(
    () => [
      ...definition.columns,
      {
        id: 'actions',
        title: '',
        cell: (row: Row) => <CopyButton text={command(row)} label="Copy the command that shows this" />,
      },
    ],
    [definition, command],
  );
  const list = useMemo(() => createList<Row, Answer>(path, definition.interest), [path, definition]);
  useEffect(() => () => list.stop(), [list]);
  const chosen = useSignal(-1);
  useEffect(() => {
    chosen.value = -1;
  }, [list, chosen]);
  // The rows of the last filter stay until those of the new one are here.
  const shown = useRef(list);
  if (list.state.value.answer !== undefined || list.state.value.error !== undefined) shown.current = list;
  const { answer, error, matched, pages } = shown.current.state.value;
  const rowAt = (index: number) => pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  useEffect(
    () =>
      onAction(({ kind }) => {
        const at = chosen.peek();
        const count = list.state.peek().matched;
        if (kind === 'next') chosen.value = Math.min(count - 1, at + 1);
        else if (kind === 'previous') chosen.value = Math.max(0, at - 1);
        else if (kind === 'copy') {
          const row = list.state.peek().pages.get(Math.floor(at / pageSize))?.[at % pageSize];
          if (row !== undefined) void copyText(command(row));
        }
      }),
    [list, chosen, command],
  );
  const show = useCallback((rows: { first: number; end: number }) => list.show(rows), [list]);
  const isFiltered = query.size > Object.keys(definition.fixed ?? {}).length;
  return (
    <>
      <div class="tools">
        {tools(answer)}
        <span class="total" role="status">
          {answer !== undefined && (
            <>
              <b>{renderCount(matched)}</b>
              {answer.total !== matched && ` of ${renderCount(answer.total)}`}
            </>
          )}
        </span>
        <ExportMenu path={path} file={label.toLowerCase()} columns={definition.exported} />
      </div>
      {answer !== undefined && <ErrorBanner error={error} />}
      {answer === undefined ? (
        error === undefined ? (
          <Loading rows={12} />
        ) : (
          <ErrorNotice error={error} />
        )
      ) : matched === 0 ? (
        isFiltered ? (
          <Notice
            icon="search"
            title="Nothing matches"
            actions={
              <a class="button" href={location.pathname}>
                Clear the filter
              </a>
            }
          >
            {answer.total === 0
              ? 'There is nothing without the filter either.'
              : `${renderCount(answer.total)} without the filter.`}
          </Notice>
        ) : (
          <EmptyNotice {...empty} kind={definition.kind} />
        )
      ) : (
        <VirtualTable
          key={shown.current.path}
          label={label}
          layout={definition.layout}
          columns={columns}
          count={matched}
          rowAt={rowAt}
          onShow={show}
          chosen={chosen.value}
          onChoose={(index) => {
            chosen.value = index;
          }}
          {...(definition.defaultSort === undefined ? {} : { defaultSort: definition.defaultSort })}
        />
      )}
    </>
  );
}

/** Says so where the user sees only what is in some namespaces, or nothing at all. */
export function EmptyNotice({ kind, children, ...notice }: NoticeProps & { readonly kind: ShownKind }): JSX.Element {
  const isLimited = signedIn.value !== undefined && !signedIn.value.access.everywhere.includes(kind);
  return <Notice {...notice}>{isLimited ? 'There is nothing that you may list.' : children}</Notice>;
}
