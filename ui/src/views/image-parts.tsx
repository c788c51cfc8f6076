import type { ComponentChildren, JSX } from 'preact';
import type { ImageAnswer } from '../../../src/dashboard/protocol.ts';
import { renderCount } from '../model/format.ts';
import { renderKubectl, rowCommands } from '../model/kubectl.ts';
import { renderPlace, type ViewName } from '../model/location.ts';
import { visibleText } from '../model/visible-text.ts';
import { CopyButton } from '../parts/controls.tsx';
import { Icon } from '../parts/icon.tsx';
import { copyLooks, jobLooks, resultLooks, SeverityPill, State } from '../parts/state.tsx';
import { Age, ImageLink, ObjectName, Text } from '../parts/text.tsx';
import { CopyMessage, Transfer } from './copies.tsx';
import { Vulnerabilities } from './counts.tsx';
import { RunLine } from './image-runs.tsx';
import { JobName, MadeBy, Took } from './jobs.tsx';
import { Commit, Outcome } from './pipeline.tsx';
import { ExplainLink } from './results.tsx';

interface PartProps {
  readonly title: string;
  readonly total: number;
  readonly shown: number;
  /** Where all rows are, when not all are here. */
  readonly more?: string;
  readonly empty: string;
  readonly children: ComponentChildren;
}

function Part({ title, total, shown, more, empty, children }: PartProps): JSX.Element {
  return (
    <section class={total === 0 ? 'part none' : 'part'} aria-label={title}>
      <h2>
        {title} {total > 0 && <span class="count">{renderCount(total)}</span>}
      </h2>
      {total === 0 ? <p class="part-empty">{empty}</p> : <ul class="lines">{children}</ul>}
      {total > shown && (
        <p class="more">
          {more === undefined ? (
            `and ${renderCount(total - shown)} more`
          ) : (
            <a class="link" href={more}>
              All {renderCount(total)}
            </a>
          )}
        </p>
      )}
    </section>
  );
}

/** What is known of an image, one part for each kind of object. */
export function ImageParts({ of }: { of: ImageAnswer }): JSX.Element {
  const { image, runs, copies, jobs, results, detections, vulnerabilityReports, events, tags } = of;
  const list = (view: ViewName, params: Readonly<Record<string, string>>) => renderPlace({ view, params });
  const size = ({ items, total }: { readonly items: readonly unknown[]; readonly total: number }) => ({
    total,
    shown: items.length,
  });
  return (
    <div class="parts">
      <Part title="Runs" {...size(runs)} empty="No workload runs this image.">
        {runs.items.map((run) => (
          <RunLine
            key={`${run.workload.kind}/${run.workload.namespace}/${run.workload.name}/${run.container}`}
            run={run}
          />
        ))}
      </Part>
      <Part
        title="Policy"
        {...size(results)}
        more={list('results', { by: 'none', image: image.id })}
        empty="No policy complains about the objects that run it."
      >
        {results.items.map((row) => (
          <li
            key={`${row.policy}/${row.rule}/${row.resource.kind}/${row.resource.namespace}/${row.resource.name}`}
            class="line tall"
          >
            <State of={row.result} looks={resultLooks} />
            <div class="line-main">
              <p>
                <span class="lead">
                  <Text of={row.policy} length={80} />
                </span>
                <span class="faint">
                  /<Text of={row.rule} length={80} />
                  {' on '}
                </span>
                <ObjectName of={row.resource} /> {row.severity !== undefined && <SeverityPill of={row.severity} />}
              </p>
              <p class="faint">
                <Text of={row.message} length={400} />
              </p>
            </div>
            <ExplainLink row={row} />
            <CopyButton text={rowCommands.result(row)} label="Copy the kubectl command for the object" />
          </li>
        ))}
      </Part>
      <Part
        title="Copy"
        {...size(copies)}
        more={list('copies', { q: image.repository })}
        empty="No copy was asked for."
      >
        {copies.items.map((row) => (
          <li key={row.name} class="line">
            <State of={row.state} looks={copyLooks} />
            <div class="line-main">
              <span class="mono">
                <Text of={row.copy} length={140} />
              </span>{' '}
              <CopyMessage row={row} />
            </div>
            <Transfer row={row} />
            <span class="faint">
              {row.checkedAt !== undefined && 'checked '}
              <Age at={row.checkedAt} absent="not checked yet" />
            </span>
            <CopyButton text={rowCommands.copy(row)} label="Copy the kubectl command for the copy" />
          </li>
        ))}
      </Part>
      <Part
        title="Git"
        {...size(detections)}
        more={list('pipeline', { image: image.id })}
        empty="It was not detected as a new image, so nothing was committed."
      >
        {detections.items.map((row) => (
          <li key={`${row.namespace}/${row.name}`} class="line tall">
            <div class="line-main">
              <p>
                <Outcome row={row} />
              </p>
              <p class="faint">
                {row.git !== undefined && (
                  <>
                    <Text of={row.git.url} length={80} />
                    {row.git.branch !== undefined && ` · ${visibleText(row.git.branch)}`}
                    {row.git.path !== undefined && ` · ${visibleText(row.git.path)}`}
                    {' · '}
                  </>
                )}
                by{' '}
                <a class="link" href={list('pipeline', { policy: `${row.policy.namespace}/${row.policy.name}` })}>
                  <Text of={`${row.policy.namespace}/${row.policy.name}`} length={80} />
                </a>
              </p>
            </div>
            <Commit row={row} />
            <Age at={row.processedAt ?? row.detectedAt} />
            <CopyButton text={rowCommands.detection(row)} label="Copy the kubectl command for the detection" />
          </li>
        ))}
      </Part>
      <Part title="Jobs" {...size(jobs)} more={list('jobs', { q: image.repository })} empty="No job was made for it.">
        {jobs.items.map((row) => (
          <li key={`${row.namespace}/${row.name}`} class="line">
            <State of={row.state} looks={jobLooks} />
            <div class="line-main">
              <JobName row={row} />
              <span class="faint">
                {' · '}
                <MadeBy row={row} />
              </span>
            </div>
            <Took row={row} />
            <Age at={row.createdAt} />
            <CopyButton text={rowCommands.job(row)} label="Copy the kubectl command for the job" />
          </li>
        ))}
      </Part>
      <Part title="Scans" {...size(vulnerabilityReports)} empty="No VulnerabilityReport names its digest.">
        {vulnerabilityReports.items.map((row) => (
          <li key={`${row.object.namespace}/${row.object.name}`} class="line">
            <div class="line-main">
              <Text of={row.scanner} length={40} /> <ObjectName of={row.object} />
            </div>
            <Vulnerabilities of={row.counts} most={5} />
            <Age at={row.at} />
            <CopyButton text={renderKubectl(row.object)} label="Copy the kubectl command for the report" />
          </li>
        ))}
      </Part>
      <Part title="Events" {...size(events)} empty="No event in the last hour.">
        {events.items.map((row, i) => (
          <li key={`${row.object.name}/${row.reason}/${row.at}/${i}`} class="line">
            <span class={`state ${row.type === 'Warning' ? 'warn' : 'idle'}`}>
              <Icon name={row.type === 'Warning' ? 'alert' : 'dot'} size={14} />
              <Text of={row.reason} length={40} />
            </span>
            <div class="line-main">
              <ObjectName of={row.object} />{' '}
              <span class="faint">
                <Text of={row.message} length={300} />
              </span>
            </div>
            {row.count > 1 && <span class="pill">{renderCount(row.count)}×</span>}
            <Age at={row.at} />
          </li>
        ))}
      </Part>
      <Part
        title="Other tags"
        {...size(tags)}
        more={list('images', { repository: image.repository })}
        empty="No other tag or digest of this repository is here."
      >
        {tags.items.map((row) => (
          <li key={row.id} class="line">
            <div class="line-main">
              <ImageLink id={row.id} />
            </div>
            <span class="faint">{row.workloads === 0 ? 'not running' : `${renderCount(row.workloads)} workloads`}</span>
            <State of={row.copy} looks={copyLooks} />
            <Age at={row.seenAt} />
          </li>
        ))}
      </Part>
    </div>
  );
}
