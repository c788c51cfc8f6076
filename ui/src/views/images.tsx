import type { JSX } from 'preact';
import type { ImageRow, ImagesAnswer } from '../../../src/dashboard/protocol.ts';
import { renderCount, renderNoun } from '../model/format.ts';
import { shortCommit, shortDigest } from '../model/image-name.ts';
import { renderImageCommand } from '../model/kubectl.ts';
import { tooltip } from '../model/visible-text.ts';
import { facetChoices, Search, Select, Toggle } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import { type ListDefinition, ListView } from '../parts/list-view.tsx';
import { copyLooks, State } from '../parts/state.tsx';
import { Age, ImageLink, Text } from '../parts/text.tsx';
import { JobsOf, ResultCounts, Vulnerabilities } from './counts.tsx';

function RunsIn({ row: { namespaces, workloads, pods } }: { row: ImageRow }): JSX.Element {
  if (workloads === 0) return <span class="faint">not running</span>;
  return (
    <span
      title={`${renderNoun(workloads, 'workload')} in ${renderNoun(namespaces, 'namespace')}, ${renderNoun(pods, 'pod')}`}
    >
      <span class="lead">{renderCount(workloads)}</span>
      <span class="faint"> in {renderCount(namespaces)} ns</span>
    </span>
  );
}

function TagOf({ row: { tag, digest, movedTo, pullProblem } }: { row: ImageRow }): JSX.Element {
  return (
    <>
      {tag === undefined ? (
        <span class="mono name">{digest === undefined ? '–' : shortDigest(digest)}</span>
      ) : (
        <span class="lead name">
          <Text of={tag} length={40} />
        </span>
      )}
      {pullProblem !== undefined && (
        <span class="pill bad" title={tooltip(`Pods cannot pull it: ${pullProblem}`)}>
          <Icon name="alert" size={12} />
          pull
        </span>
      )}
      {movedTo !== undefined && (
        <span class="pill warn" title={tooltip(`The tag now names ${movedTo}`)}>
          moved
        </span>
      )}
    </>
  );
}

export const images: ListDefinition<ImageRow, ImagesAnswer> = {
  label: 'Images',
  path: '/api/images',
  filters: ['q', 'ns', 'registry', 'copy', 'result', 'running', 'pull', 'vuln', 'repository', 'sort', 'order'],
  interest: { views: ['images'] },
  kind: 'pods',
  layout: 'grid-images',
  columns: [
    {
      id: 'image',
      title: 'Image',
      sort: { by: 'name', first: 'asc' },
      cell: (row) => <ImageLink id={row.id} withTag={false} />,
    },
    { id: 'tag', title: 'Tag or digest', cell: (row) => <TagOf row={row} /> },
    { id: 'runs', title: 'Workloads', sort: { by: 'workloads', first: 'desc' }, cell: (row) => <RunsIn row={row} /> },
    {
      id: 'copy',
      title: 'Copy',
      sort: { by: 'copy', first: 'desc' },
      cell: (row) => (
        <span title={tooltip(row.copyMessage)}>
          <State of={row.copy} looks={copyLooks} />
        </span>
      ),
    },
    { id: 'jobs', title: 'Jobs', cell: (row) => <JobsOf of={row.jobs} /> },
    {
      id: 'results',
      title: 'Findings',
      sort: { by: 'results', first: 'desc' },
      cell: (row) => <ResultCounts of={row.results} />,
    },
    {
      id: 'vuln',
      title: 'Vulnerabilities',
      sort: { by: 'vulnerabilities', first: 'desc' },
      cell: (row) => <Vulnerabilities of={row.vulnerabilities} />,
    },
    {
      id: 'commit',
      title: 'Commit',
      cell: ({ commit }) =>
        commit === undefined ? <span class="faint">–</span> : <span class="mono">{shortCommit(commit.sha)}</span>,
    },
    {
      id: 'seen',
      title: 'Changed',
      isNumber: true,
      sort: { by: 'seen', first: 'desc' },
      cell: (row) => <Age at={row.seenAt} />,
    },
  ],
  defaultSort: { by: 'name', order: 'asc' },
  exported: [
    ['image', (row) => row.id],
    ['repository', (row) => row.repository],
    ['tag', (row) => row.tag],
    ['digest', (row) => row.digest],
    ['namespaces', (row) => row.namespaces],
    ['workloads', (row) => row.workloads],
    ['pods', (row) => row.pods],
    ['copy', (row) => row.copy],
    ['fail', (row) => row.results?.fail],
    ['warn', (row) => row.results?.warn],
    ['error', (row) => row.results?.error],
    ['critical', (row) => row.vulnerabilities?.critical],
    ['high', (row) => row.vulnerabilities?.high],
    ['commit', (row) => row.commit?.sha],
    ['pullProblem', (row) => row.pullProblem],
    ['movedTo', (row) => row.movedTo],
    ['changed', (row) => row.seenAt],
  ],
  command: (row) => renderImageCommand(row.id),
  tools: (answer) => (
    <>
      <Search label="Search images" />
      <Select name="ns" label="All namespaces" choices={facetChoices(answer?.facets.namespaces)} />
      <Select name="registry" label="All registries" choices={facetChoices(answer?.facets.registries)} />
      <Select name="copy" label="Any copy" choices={facetChoices(answer?.facets.copies)} />
      <Select name="result" label="Any result" choices={facetChoices(answer?.facets.results)} />
      <Toggle name="running" label="Only running" />
    </>
  ),
  empty: {
    icon: 'images',
    title: 'No images yet',
    children: 'An image is here as soon as a workload runs it, or as one is copied or detected.',
  },
};

export const Images = (): JSX.Element => <ListView definition={images} />;
