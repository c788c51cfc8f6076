import type { JSX } from 'preact';
import type { JobRow, JobsAnswer } from '../../../src/dashboard/protocol.ts';
import { now } from '../data/time.ts';
import { renderDuration } from '../model/format.ts';
import { rowCommands } from '../model/kubectl.ts';
import { tooltip } from '../model/visible-text.ts';
import { Search, Segments } from '../parts/controls.tsx';
import { type ListDefinition, ListView } from '../parts/list-view.tsx';
import { jobLooks, Pill, State } from '../parts/state.tsx';
import { Age, ImageLink, ObjectName, Text } from '../parts/text.tsx';

/** How long it ran, or runs. */
export function Took({ row: { startedAt, endedAt } }: { row: JobRow }): JSX.Element {
  if (startedAt === undefined) return <span class="faint">–</span>;
  const end = endedAt === undefined ? now.value : Date.parse(endedAt);
  return <span>{renderDuration(Math.max(0, end - Date.parse(startedAt)))}</span>;
}

export function MadeBy({ row: { madeBy, origin, trigger, type, requestId, reported } }: { row: JobRow }): JSX.Element {
  if (origin === 'on-demand')
    return (
      <>
        <span class="lead">
          <Text of={type ?? 'report'} length={40} /> {requestId !== undefined && <Text of={requestId} length={40} />}
        </span>
        <span class="faint">
          {' · Insights '}
          {reported === undefined ? 'not told yet' : <Text of={`told ${reported}`} length={60} />}
        </span>
      </>
    );
  return (
    <>
      <Text of={madeBy ?? 'a policy'} length={120} />
      {trigger !== undefined && (
        <>
          <span class="faint"> for </span>
          <ObjectName of={trigger} />
        </>
      )}
    </>
  );
}

export function JobName({ row: { name, namespace, isGone } }: { row: JobRow }): JSX.Element {
  return (
    <>
      <span class="faint">
        <Text of={namespace} length={60} />/
      </span>
      <span class="lead">
        <Text of={name} length={80} />
      </span>{' '}
      {isGone && <Pill>deleted</Pill>}
    </>
  );
}

const jobs: ListDefinition<JobRow, JobsAnswer> = {
  label: 'Jobs',
  path: '/api/jobs',
  filters: ['q', 'ns', 'state', 'origin'],
  interest: { views: ['jobs'] },
  kind: 'jobs',
  layout: 'grid-jobs',
  columns: [
    { id: 'name', title: 'Job', cell: (row) => <JobName row={row} /> },
    {
      id: 'image',
      title: 'Image',
      cell: (row) => (row.image === undefined ? <span class="faint">–</span> : <ImageLink id={row.image} />),
    },
    {
      id: 'copy',
      title: 'State',
      cell: (row) => (
        <span title={tooltip(row.message ?? row.reason)}>
          <State of={row.state} looks={jobLooks} />
        </span>
      ),
    },
    { id: 'made', title: 'Made by', cell: (row) => <MadeBy row={row} /> },
    { id: 'took', title: 'Took', isNumber: true, cell: (row) => <Took row={row} /> },
    { id: 'seen', title: 'Created', isNumber: true, cell: (row) => <Age at={row.createdAt} /> },
  ],
  exported: [
    ['namespace', (row) => row.namespace],
    ['name', (row) => row.name],
    ['origin', (row) => row.origin],
    ['state', (row) => row.state],
    ['image', (row) => row.image],
    ['madeBy', (row) => row.madeBy ?? row.type],
    ['startedAt', (row) => row.startedAt],
    ['endedAt', (row) => row.endedAt],
    ['message', (row) => row.message],
  ],
  command: rowCommands.job,
  tools: (answer) => {
    const count = (value: number | undefined) => (value === undefined ? {} : { count: value });
    return (
      <>
        <Segments
          name="state"
          label="State"
          choices={[
            { value: '', label: 'All', ...count(answer?.total) },
            ...(['pending', 'running', 'succeeded', 'failed'] as const).map((state) => ({
              value: state,
              label: `${state[0]!.toUpperCase()}${state.slice(1)}`,
              ...count(answer?.counts[state]),
            })),
          ]}
        />
        <Segments
          name="origin"
          label="Origin"
          choices={[
            { value: '', label: 'Any' },
            { value: 'generated', label: 'Generated' },
            { value: 'on-demand', label: 'On demand' },
          ]}
        />
        <Search label="Search jobs" />
      </>
    );
  },
  empty: {
    icon: 'jobs',
    title: 'No jobs',
    children: 'Jobs that policies generate for images, and reports that Fairwinds Insights asks for.',
  },
};

export const Jobs = (): JSX.Element => <ListView definition={jobs} />;
