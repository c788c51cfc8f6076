import type { JSX } from 'preact';
import type { CopiesAnswer, CopyRow } from '../../../src/dashboard/protocol.ts';
import { renderBytes, renderShare } from '../model/format.ts';
import { afterName, withoutName } from '../model/image-name.ts';
import { rowCommands } from '../model/kubectl.ts';
import { tooltip } from '../model/visible-text.ts';
import { Progress } from '../parts/charts.tsx';
import { Search, Segments, Toggle } from '../parts/controls.tsx';
import { type ListDefinition, ListView } from '../parts/list-view.tsx';
import { copyLooks, State } from '../parts/state.tsx';
import { Age, ImageLink, Text } from '../parts/text.tsx';

export function Transfer({ row: { state, bytesCopied, bytesTotal } }: { row: CopyRow }): JSX.Element {
  if (state === 'copying' && bytesTotal !== undefined) {
    const done = bytesCopied ?? 0;
    return (
      <span class="transfer">
        <Progress part={done} whole={bytesTotal} />
        <span>
          {renderShare(done, bytesTotal)} <span class="faint">of {renderBytes(bytesTotal)}</span>
        </span>
      </span>
    );
  }
  const bytes = bytesTotal ?? bytesCopied;
  return !bytes ? <span class="faint">–</span> : <span>{renderBytes(bytes)}</span>;
}

/** Where it is; what follows repeats the source. */
function CopyName({ row: { copy, image } }: { row: CopyRow }): JSX.Element {
  const place = withoutName(copy, image);
  return (
    <span title={tooltip(copy)}>
      <Text of={place === copy ? copy : `${place}/…`} length={120} />
    </span>
  );
}

export function CopyMessage({ row: { source, attempts, message, unusedSince } }: { row: CopyRow }): JSX.Element {
  return (
    <>
      {attempts !== undefined && attempts > 1 && <span class="faint">attempt {attempts} · </span>}
      {unusedSince !== undefined && (
        <span class="pill">
          unused for <Age at={unusedSince} />
        </span>
      )}{' '}
      {message !== undefined && <Text of={afterName(message, source)} length={300} />}
    </>
  );
}

const copies: ListDefinition<CopyRow, CopiesAnswer> = {
  label: 'Copies',
  path: '/api/copies',
  filters: ['q', 'state', 'registry', 'unused'],
  interest: { views: ['copies'] },
  kind: 'mirroredimages',
  layout: 'grid-copies',
  columns: [
    { id: 'image', title: 'Source', cell: (row) => <ImageLink id={row.image} /> },
    {
      id: 'target',
      title: 'Copy',
      cell: (row) => <CopyName row={row} />,
    },
    { id: 'copy', title: 'State', cell: (row) => <State of={row.state} looks={copyLooks} /> },
    { id: 'bytes', title: 'Size', cell: (row) => <Transfer row={row} /> },
    {
      id: 'message',
      title: 'Message',
      cell: (row) => (
        <span title={tooltip(row.message)}>
          <CopyMessage row={row} />
        </span>
      ),
    },
    {
      id: 'seen',
      title: 'Checked',
      isNumber: true,
      cell: (row) => <Age at={row.checkedAt ?? row.copiedAt ?? row.createdAt} />,
    },
  ],
  exported: [
    ['name', (row) => row.name],
    ['source', (row) => row.source],
    ['copy', (row) => row.copy],
    ['state', (row) => row.state],
    ['digest', (row) => row.digest],
    ['sourceDigest', (row) => row.sourceDigest],
    ['bytes', (row) => row.bytesTotal],
    ['attempts', (row) => row.attempts],
    ['message', (row) => row.message],
    ['copiedAt', (row) => row.copiedAt],
    ['checkedAt', (row) => row.checkedAt],
    ['unusedSince', (row) => row.unusedSince],
  ],
  command: rowCommands.copy,
  tools: (answer) => {
    const counts = answer?.counts;
    const choice = (value: string, label: string, count: number | undefined) => ({
      value,
      label,
      ...(count === undefined ? {} : { count }),
    });
    return (
      <>
        <Segments
          name="state"
          label="State"
          choices={[
            choice('', 'All', answer?.total),
            choice('pending', 'Pending', counts?.pending),
            choice('copying', 'Copying', counts?.copying),
            choice('copied', 'Copied', counts?.copied),
            choice('failed', 'Failed', counts?.failed),
          ]}
        />
        <Search label="Search copies" />
        <Toggle name="unused" label="Only unused" />
      </>
    );
  },
  empty: {
    icon: 'copies',
    title: 'No copies',
    children: 'With the feature “mirror” every image that a workload uses is copied to the backup registry.',
  },
};

export const Copies = (): JSX.Element => <ListView definition={copies} />;
