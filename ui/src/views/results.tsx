import type { JSX } from 'preact';
import type { Page, ResultGroup, ResultGroups, ResultRow } from '../../../src/dashboard/protocol.ts';
import { place } from '../data/app-state.ts';
import { useResource } from '../data/resource.ts';
import { renderExplainParam } from '../model/explain-link.ts';
import { renderCount } from '../model/format.ts';
import { renderKubectl, rowCommands } from '../model/kubectl.ts';
import { renderPlace, withParams } from '../model/location.ts';
import { Stack } from '../parts/charts.tsx';
import { CopyButton, Search, Segments } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import { EmptyNotice, type ListDefinition, ListView } from '../parts/list-view.tsx';
import { ErrorBanner, ErrorNotice, Loading, Notice } from '../parts/notice.tsx';
import { resultLooks, SeverityPill, State, type Tone } from '../parts/state.tsx';
import { Age, ObjectName, Text } from '../parts/text.tsx';

/** The link that opens the explanation of a result beside what is shown. */
export const ExplainLink = ({ row }: { row: ResultRow }): JSX.Element => (
  <a class="link" href={hrefOfExplanation(row)}>
    explain
  </a>
);

const hrefOfExplanation = (row: ResultRow) =>
  renderPlace(withParams(place.value, { explain: renderExplainParam(row) }));

const tabs = (
  <Segments
    name="by"
    label="Grouped by"
    choices={[
      { value: '', label: 'By namespace' },
      { value: 'policy', label: 'By policy' },
      { value: 'severity', label: 'By severity' },
      { value: 'none', label: 'Findings' },
      { value: 'exceptions', label: 'Exceptions' },
    ]}
  />
);

const findings: ListDefinition<ResultRow, Page<ResultRow>> = {
  label: 'Findings',
  path: '/api/results',
  filters: ['q', 'ns', 'policy', 'result', 'severity', 'source', 'image'],
  interest: { views: ['results'] },
  kind: 'policyreports',
  layout: 'grid-results',
  columns: [
    { id: 'result', title: 'Result', cell: (row) => <State of={row.result} looks={resultLooks} /> },
    { id: 'object', title: 'Object', cell: (row) => <ObjectName of={row.resource} /> },
    {
      id: 'policy',
      title: 'Policy / rule',
      cell: (row) => (
        <a class="policy-link" href={hrefOfExplanation(row)}>
          <span class="lead">
            <Text of={row.policy} length={80} />
          </span>
          <span class="faint">
            /<Text of={row.rule} length={80} />
          </span>
        </a>
      ),
    },
    { id: 'message', title: 'Message', cell: (row) => <Text of={row.message} length={300} /> },
    { id: 'severity', title: 'Severity', cell: (row) => <SeverityPill of={row.severity} /> },
    { id: 'explain', title: '', cell: (row) => <ExplainLink row={row} /> },
    { id: 'seen', title: 'Seen', isNumber: true, cell: (row) => <Age at={row.at} /> },
  ],
  exported: [
    ['result', (row) => row.result],
    ['policy', (row) => row.policy],
    ['rule', (row) => row.rule],
    ['severity', (row) => row.severity],
    ['source', (row) => row.source],
    ['namespace', (row) => row.resource.namespace],
    ['kind', (row) => row.resource.kind],
    ['name', (row) => row.resource.name],
    ['message', (row) => row.message],
    ['at', (row) => row.at],
  ],
  command: rowCommands.result,
  tools: () => (
    <>
      {tabs}
      <Segments
        name="result"
        label="Result"
        choices={[
          { value: '', label: 'All' },
          { value: 'fail', label: 'Fail' },
          { value: 'warn', label: 'Warn' },
          { value: 'error', label: 'Error' },
        ]}
      />
      <Search label="Search findings" />
    </>
  ),
  empty: {
    icon: 'results',
    title: 'No findings',
    children: 'No policy report has a result other than pass or skip.',
  },
};

const order = ['pass', 'fail', 'error', 'warn', 'skip'] as const;

const tones: Readonly<Record<(typeof order)[number], Tone>> = {
  pass: 'good',
  fail: 'bad',
  error: 'bad',
  warn: 'warn',
  skip: 'idle',
};

export const resultPortions = (counts: ResultGroup['counts']) =>
  order.map((name) => ({ name, count: counts[name], tone: tones[name] }));

const nameless: Readonly<Record<ResultGroups['by'], string>> = {
  namespace: 'cluster-scoped',
  policy: 'without policy',
  severity: 'without severity',
};

function GroupRow({ by, group: { name, counts } }: { by: ResultGroups['by']; group: ResultGroup }): JSX.Element {
  const filter = { namespace: 'ns', policy: 'policy', severity: 'severity' }[by];
  const to = (result?: string) =>
    renderPlace({
      view: 'results',
      params: { by: 'none', ...(name === '' ? {} : { [filter]: name }), ...(result ? { result } : {}) },
    });
  return (
    <tr class="row">
      <td class="cell c-name">
        <a class="lead" href={to()}>
          {name === '' ? <span class="faint">{nameless[by]}</span> : <Text of={name} length={100} />}
        </a>
      </td>
      <td class="cell c-bar">
        <Stack portions={resultPortions(counts)} />
      </td>
      {order.map((result) => (
        <td key={result} class={`cell number c-${result}`}>
          {counts[result] === 0 ? (
            <span class="faint">0</span>
          ) : result === 'pass' || result === 'skip' ? (
            renderCount(counts[result])
          ) : (
            <a class={tones[result]} href={to(result)}>
              {renderCount(counts[result])}
              <span class="unit"> {result}</span>
            </a>
          )}
        </td>
      ))}
    </tr>
  );
}

function Groups({ by }: { by: ResultGroups['by'] }): JSX.Element {
  const { value, error } = useResource<ResultGroups>(`/api/results/groups?by=${by}`, { views: ['results'] }).value;
  if (value === undefined) return error === undefined ? <Loading rows={10} /> : <ErrorNotice error={error} />;
  const { groups, policies } = value;
  return (
    <>
      <ErrorBanner error={error} />
      {policies.length > 0 && (
        <ul class="problems">
          {policies.map(({ policy, reason, message }) => (
            <li key={`${policy.kind}/${policy.namespace}/${policy.name}`}>
              <span class="state bad">
                <Icon name="alert" size={14} />
                <Text of={reason} length={60} />
              </span>
              <ObjectName of={policy} />
              <Text of={message} length={400} />
            </li>
          ))}
        </ul>
      )}
      {groups.length === 0 ? (
        <EmptyNotice icon="results" title="No results" kind="policyreports">
          With the feature “report” every policy is evaluated on what the cluster already has.
        </EmptyNotice>
      ) : (
        <section class="scroller grid-groups" aria-label="Results">
          <table aria-label={`Results by ${by}`}>
            <thead>
              <tr class="head">
                <th scope="col" class="cell c-name">
                  {by[0]!.toUpperCase() + by.slice(1)}
                </th>
                <th scope="col" class="cell c-bar">
                  Share
                </th>
                {order.map((result) => (
                  <th key={result} scope="col" class={`cell number c-${result}`}>
                    {result[0]!.toUpperCase() + result.slice(1)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {groups.map((group) => (
                <GroupRow key={group.name} by={by} group={group} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

function Exceptions(): JSX.Element {
  const { value, error } = useResource<ResultGroups>('/api/results/groups?by=namespace', { views: ['results'] }).value;
  if (value === undefined) return error === undefined ? <Loading rows={10} /> : <ErrorNotice error={error} />;
  const { items, total } = value.exceptions;
  if (total === 0)
    return (
      <Notice icon="results" title="No exceptions">
        A PolicyException exempts objects from rules; each one that counts is listed here.
      </Notice>
    );
  return (
    <section class="scroller grid-exceptions" aria-label="Exceptions">
      <table aria-label="Exceptions">
        <thead>
          <tr class="head">
            <th scope="col" class="cell c-name">
              Exception
            </th>
            <th scope="col" class="cell c-message">
              Rules
            </th>
            <th scope="col" class="cell c-actions">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ object, rules }) => (
            <tr class="row" key={`${object.namespace}/${object.name}`}>
              <td class="cell c-name">
                <ObjectName of={object} />
              </td>
              <td class="cell c-message">
                <Text of={rules.join(', ')} length={300} />
              </td>
              <td class="cell c-actions">
                <CopyButton text={renderKubectl(object)} label="Copy the kubectl command for the exception" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Results(): JSX.Element {
  const by = place.value.params['by'];
  if (by === 'none') return <ListView definition={findings} />;
  return (
    <>
      <div class="tools">{tabs}</div>
      {by === 'exceptions' ? <Exceptions /> : <Groups by={by === 'policy' || by === 'severity' ? by : 'namespace'} />}
    </>
  );
}
