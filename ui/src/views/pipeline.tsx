import type { JSX } from 'preact';
import type { DetectionRow, Page, PipelineAnswer, PipelinePolicy } from '../../../src/dashboard/protocol.ts';
import { place } from '../data/app-state.ts';
import { renderCount, renderNoun } from '../model/format.ts';
import { commitUrl, shortCommit } from '../model/image-name.ts';
import { rowCommands } from '../model/kubectl.ts';
import { renderPlace } from '../model/location.ts';
import { visibleText } from '../model/visible-text.ts';
import { Search, Segments } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import { type ListDefinition, ListView } from '../parts/list-view.tsx';
import { phaseLooks, State } from '../parts/state.tsx';
import { Age, ImageLink, Text } from '../parts/text.tsx';

export function Commit({ row: { commit, git, files } }: { row: DetectionRow }): JSX.Element {
  if (commit === undefined) return <span class="faint">–</span>;
  const url = commitUrl(git?.url, commit);
  const sha = <span class="mono">{visibleText(shortCommit(commit))}</span>;
  return (
    <span title={files.map(visibleText).join('\n')}>
      {url === undefined ? (
        sha
      ) : (
        <a class="link" href={url} target="_blank" rel="noreferrer">
          {sha}
        </a>
      )}
      <span class="faint"> · {renderNoun(files.length, 'file')}</span>
    </span>
  );
}

/** What became of a detection, with the reason when nothing was committed. */
export function Outcome({ row: { attempts, message, phase, reason } }: { row: DetectionRow }): JSX.Element {
  return (
    <>
      <State
        of={phase}
        looks={phaseLooks}
        word={phase === 'completed' && reason !== undefined ? <Text of={reason} length={40} /> : undefined}
      />
      {attempts !== undefined && attempts > 1 && <span class="faint"> · attempt {attempts}</span>}
      {message !== undefined && (
        <span class="faint">
          {' · '}
          <Text of={message} length={300} />
        </span>
      )}
    </>
  );
}

function Where({ git }: { git: PipelinePolicy['git'] }): JSX.Element {
  if (git === undefined) return <span class="faint">–</span>;
  return (
    <>
      <Text of={git.url.replace(/^https:\/\//, '')} length={60} />
      <span class="faint">
        {git.branch !== undefined && <> · {<Text of={git.branch} length={40} />}</>}
        {git.path !== undefined && <> · {<Text of={git.path} length={60} />}</>}
      </span>
    </>
  );
}

function PolicyState({ row: { ready, isSuspended, message } }: { row: PipelinePolicy }): JSX.Element {
  const [tone, icon, word] = isSuspended
    ? (['idle', 'dash', 'suspended'] as const)
    : ready === undefined
      ? (['idle', 'clock', 'not scanned yet'] as const)
      : ready
        ? (['good', 'check', 'ready'] as const)
        : (['bad', 'cross', 'not ready'] as const);
  return (
    <>
      <span class={`state ${tone}`}>
        <Icon name={icon} size={14} />
        {word}
      </span>
      {message !== undefined && ready === false && (
        <span class="faint">
          {' · '}
          <Text of={message} length={300} />
        </span>
      )}
    </>
  );
}

const tabs = (answer: { readonly total: number } | undefined, name: string) => (
  <Segments
    name="tab"
    label="Part"
    choices={[
      { value: '', label: 'Detections', ...(name === '' && answer ? { count: answer.total } : {}) },
      { value: 'policies', label: 'Policies', ...(name === 'policies' && answer ? { count: answer.total } : {}) },
    ]}
  />
);

const number = (value: number | undefined) =>
  value === undefined ? <span class="faint">–</span> : <span>{renderCount(value)}</span>;

const policies: ListDefinition<PipelinePolicy, PipelineAnswer> = {
  label: 'Policies',
  path: '/api/pipeline',
  filters: ['q', 'ns'],
  interest: { views: ['pipeline'] },
  kind: 'imagedetecteds',
  layout: 'grid-policies',
  columns: [
    {
      id: 'name',
      title: 'Policy',
      cell: ({ name, namespace }) => (
        <a href={renderPlace({ view: 'pipeline', params: { policy: `${namespace}/${name}` } })}>
          <span class="faint">
            <Text of={namespace} length={60} />/
          </span>
          <span class="lead">
            <Text of={name} length={80} />
          </span>
        </a>
      ),
    },
    { id: 'copy', title: 'State', cell: (row) => <PolicyState row={row} /> },
    { id: 'repositories', title: 'Repositories', isNumber: true, cell: (row) => number(row.repositories) },
    { id: 'tags', title: 'Images', isNumber: true, cell: (row) => number(row.images) },
    { id: 'detected', title: 'Detected', isNumber: true, cell: (row) => number(row.detected) },
    { id: 'git', title: 'Commits to', cell: (row) => <Where git={row.git} /> },
    { id: 'seen', title: 'Scanned', isNumber: true, cell: (row) => <Age at={row.lastScanAt} absent="never" /> },
  ],
  exported: [
    ['namespace', (row) => row.namespace],
    ['name', (row) => row.name],
    ['ready', (row) => row.ready],
    ['message', (row) => row.message],
    ['suspended', (row) => row.isSuspended],
    ['lastScanAt', (row) => row.lastScanAt],
    ['repositories', (row) => row.repositories],
    ['images', (row) => row.images],
    ['detected', (row) => row.detected],
    ['repository', (row) => row.git?.url],
  ],
  command: rowCommands.policy,
  tools: (answer) => (
    <>
      {tabs(answer, 'policies')}
      <Search label="Search policies" />
    </>
  ),
  empty: {
    icon: 'pipeline',
    title: 'No ImageResourcePolicy',
    children:
      'An ImageResourcePolicy says which pushed images are detected and which template turns them into a commit.',
  },
};

const detections: ListDefinition<DetectionRow, Page<DetectionRow>> = {
  label: 'Detections',
  path: '/api/detections',
  filters: ['q', 'ns', 'phase', 'policy', 'image'],
  interest: { views: ['pipeline'] },
  kind: 'imagedetecteds',
  layout: 'grid-detections',
  columns: [
    { id: 'image', title: 'Image', cell: (row) => <ImageLink id={row.image} /> },
    { id: 'outcome', title: 'Outcome', cell: (row) => <Outcome row={row} /> },
    { id: 'commit', title: 'Commit', cell: (row) => <Commit row={row} /> },
    {
      id: 'policy',
      title: 'Policy',
      cell: ({ policy }) => (
        <>
          <span class="faint">
            <Text of={policy.namespace} length={60} />/
          </span>
          <Text of={policy.name} length={80} />
        </>
      ),
    },
    { id: 'pushed', title: 'Pushed', isNumber: true, cell: (row) => <Age at={row.pushedAt} /> },
    { id: 'seen', title: 'Detected', isNumber: true, cell: (row) => <Age at={row.detectedAt} /> },
  ],
  exported: [
    ['namespace', (row) => row.namespace],
    ['name', (row) => row.name],
    ['image', (row) => row.image],
    ['digest', (row) => row.digest],
    ['phase', (row) => row.phase],
    ['reason', (row) => row.reason],
    ['commit', (row) => row.commit],
    ['detectedAt', (row) => row.detectedAt],
    ['processedAt', (row) => row.processedAt],
    ['message', (row) => row.message],
  ],
  command: rowCommands.detection,
  tools: (answer) => (
    <>
      {tabs(answer, '')}
      <Segments
        name="phase"
        label="Phase"
        choices={[
          { value: '', label: 'All' },
          { value: 'pending', label: 'Pending' },
          { value: 'processing', label: 'Processing' },
          { value: 'completed', label: 'Completed' },
          { value: 'failed', label: 'Failed' },
        ]}
      />
      <Search label="Search detections" />
    </>
  ),
  empty: {
    icon: 'pipeline',
    title: 'Nothing detected yet',
    children: 'With the feature “detect” pushed images appear here, and with “create” the commits they lead to.',
  },
};

export const Pipeline = (): JSX.Element =>
  place.value.params['tab'] === 'policies' ? (
    <ListView key="policies" definition={policies} />
  ) : (
    <ListView key="detections" definition={detections} />
  );
