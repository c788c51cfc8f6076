import type { ComponentChildren, JSX } from 'preact';
import type { ImageAnswer, LifeStage, Run, RunPod, ShownKind } from '../../../src/dashboard/protocol.ts';
import { place } from '../data/app-state.ts';
import { useResource } from '../data/resource.ts';
import { renderCount } from '../model/format.ts';
import { shortDigest, splitImage } from '../model/image-name.ts';
import { renderImageCommand, renderKubectl } from '../model/kubectl.ts';
import { renderPlace, type ViewName } from '../model/location.ts';
import { visibleText } from '../model/visible-text.ts';
import { CopyButton, copyText } from '../parts/controls.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { ErrorBanner, ErrorNotice, Loading, Notice } from '../parts/notice.tsx';
import { copyLooks, jobLooks, Pill, resultLooks, SeverityPill, State, type Tone } from '../parts/state.tsx';
import { Age, ImageLink, ObjectName, Text } from '../parts/text.tsx';
import { CopyMessage, copyCommand, Transfer } from './copies.tsx';
import { ResultCounts, Vulnerabilities } from './counts.tsx';
import { JobName, jobCommand, MadeBy, Took } from './jobs.tsx';
import { Commit, detectionCommand, Outcome } from './pipeline.tsx';
import { ExplainLink, resultCommand } from './results.tsx';

const stageWords: Readonly<Record<LifeStage['stage'], string>> = {
  pushed: 'Pushed',
  detected: 'Detected',
  committed: 'Committed',
  admitted: 'Admitted',
  copied: 'Copied',
  running: 'Running',
  job: 'Scanned',
  reported: 'Reported',
};

const stageLooks: Readonly<Record<LifeStage['state'], readonly [IconName, Tone, string]>> = {
  done: ['check', 'good', 'done'],
  active: ['spin', 'busy', 'under way'],
  failed: ['cross', 'bad', 'failed'],
  none: ['dash', 'idle', 'not'],
};

function Life({ stages }: { stages: readonly LifeStage[] }): JSX.Element {
  return (
    <ol class="life" aria-label="Life of the image">
      {stages.map(({ stage, state, at, detail }) => {
        const [icon, tone, word] = stageLooks[state] ?? stageLooks.none;
        return (
          <li key={stage} class={`stage ${tone}`}>
            <span class="stage-sign">
              <Icon name={icon} size={12} />
              <span class="unseen">{word}:</span>
            </span>
            <h3>{stageWords[stage] ?? stage}</h3>
            {at !== undefined && <Age at={at} />}
            <p>
              <Text of={detail} length={110} />
            </p>
          </li>
        );
      })}
    </ol>
  );
}

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

const podTones: Readonly<Record<RunPod['state'], Tone>> = {
  running: 'good',
  waiting: 'warn',
  terminated: 'idle',
  unknown: 'idle',
};

const pullTrouble = /ImagePull|ErrImage|InvalidImage|RegistryUnavailable/;

function PodLine({ pod: { name, node, imageId, state, reason, message } }: { pod: RunPod }): JSX.Element {
  const tone = reason !== undefined && pullTrouble.test(reason) ? 'bad' : (podTones[state] ?? 'idle');
  return (
    <li>
      <span class={`state ${tone}`}>
        <Icon name={tone === 'good' ? 'check' : tone === 'bad' ? 'cross' : 'dot'} size={12} />
        {reason === undefined ? state : <Text of={reason} length={40} />}
      </span>
      <Text of={name} length={80} />
      {node !== undefined && (
        <span class="faint">
          on <Text of={node} length={60} />
        </span>
      )}
      {imageId !== undefined && (
        <span class="faint mono" title={visibleText(imageId)}>
          {shortDigest(splitImage(imageId).digest ?? imageId)}
        </span>
      )}
      {message !== undefined && (
        <span class="bad-text">
          <Text of={message} length={240} />
        </span>
      )}
    </li>
  );
}

function RunLine({ run: { workload, container, writtenAs, image, pods } }: { run: Run }): JSX.Element {
  return (
    <li class="line tall">
      <div class="line-main">
        <p>
          <ObjectName of={workload} />
          <span class="faint">
            {' · container '}
            <Text of={container} length={60} />
          </span>
        </p>
        <p class="written">
          <span class="mono">
            <Text of={writtenAs} length={140} />
          </span>
          {image !== writtenAs && (
            <>
              <span class="faint"> runs as </span>
              <span class="mono">
                <Text of={image} length={140} />
              </span>
            </>
          )}
        </p>
        {pods.items.length > 0 && (
          <ul class="pods">
            {pods.items.map((pod) => (
              <PodLine key={pod.name} pod={pod} />
            ))}
            {pods.total > pods.items.length && (
              <li class="faint">and {renderCount(pods.total - pods.items.length)} more pods</li>
            )}
          </ul>
        )}
      </div>
      <CopyButton text={renderKubectl(workload)} label="Copy the kubectl command for the workload" />
    </li>
  );
}

const hiddenWords: Readonly<Record<ShownKind, string>> = {
  pods: 'workloads and pods',
  jobs: 'jobs',
  policyreports: 'policy reports',
  imagedetecteds: 'detections',
  mirroredimages: 'copies',
  events: 'events',
  vulnerabilityreports: 'vulnerability reports',
};

function Header({ of: { image } }: { of: ImageAnswer }): JSX.Element {
  return (
    <header class="image-head">
      <div class="image-badges">
        {image.digest !== undefined && (
          <button
            type="button"
            class="digest mono"
            title={`Copy ${visibleText(image.digest)}`}
            onClick={() => void copyText(image.digest!)}
          >
            {visibleText(image.digest.slice(0, 26))}
            {image.digest.length > 26 && '…'}
            <Icon name="clipboard" size={12} />
          </button>
        )}
        <State of={image.copy} looks={copyLooks} />
        {image.pullProblem !== undefined && (
          <Pill tone="bad">
            <Text of={image.pullProblem} length={40} />
          </Pill>
        )}
        {image.movedTo !== undefined && (
          <span class="pill warn" title={visibleText(image.movedTo)}>
            <Icon name="moved" size={12} />
            tag moved to {shortDigest(image.movedTo)}
          </span>
        )}
      </div>
      <dl class="facts">
        <div>
          <dt>Workloads</dt>
          <dd>{renderCount(image.workloads)}</dd>
        </div>
        <div>
          <dt>Pods</dt>
          <dd>{renderCount(image.pods)}</dd>
        </div>
        <div>
          <dt>Namespaces</dt>
          <dd>{renderCount(image.namespaces)}</dd>
        </div>
        <div>
          <dt>Findings</dt>
          <dd>
            <ResultCounts of={image.results} />
          </dd>
        </div>
        <div>
          <dt>Vulnerabilities</dt>
          <dd>
            <Vulnerabilities of={image.vulnerabilities} most={4} />
          </dd>
        </div>
        <div>
          <dt>Changed</dt>
          <dd>
            <Age at={image.seenAt} />
          </dd>
        </div>
      </dl>
    </header>
  );
}

function Parts({ of }: { of: ImageAnswer }): JSX.Element {
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
            <CopyButton text={resultCommand(row)} label="Copy the kubectl command for the object" />
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
              checked <Age at={row.checkedAt} absent="never" />
            </span>
            <CopyButton text={copyCommand(row)} label="Copy the kubectl command for the copy" />
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
            <CopyButton text={detectionCommand(row)} label="Copy the kubectl command for the detection" />
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
            <CopyButton text={jobCommand(row)} label="Copy the kubectl command for the job" />
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

export function Image(): JSX.Element {
  const id = place.value.image ?? '';
  const path = `/api/image?id=${encodeURIComponent(id.toWellFormed())}`;
  const interest = { views: ['images', 'copies', 'pipeline', 'results', 'jobs'] as const, image: id };
  const { value, error } = useResource<ImageAnswer>(path, interest).value;
  if (value === undefined) {
    if (error === undefined) return <Loading rows={10} />;
    if (error.code !== 'not-found') return <ErrorNotice error={error} />;
    return (
      <Notice
        icon="images"
        title="No such image"
        actions={
          <a class="button" href="/images">
            All images
          </a>
        }
      >
        Nothing in the cluster that you may see runs, copies or has detected {visibleText(id.slice(0, 300))}.
      </Notice>
    );
  }
  return (
    <>
      <ErrorBanner error={error} />
      <div class="page-body image-page">
        <Header of={value} />
        <Life stages={value.life} />
        {value.hidden.length > 0 && (
          <p class="hint">
            <Icon name="alert" size={14} />
            Left out, as there are none that you may list:{' '}
            {value.hidden.map((kind) => hiddenWords[kind] ?? kind).join(', ')}.
          </p>
        )}
        <Parts of={value} />
      </div>
    </>
  );
}

/** In the top bar of an image. */
export const ImageTools = (): JSX.Element => (
  <CopyButton text={renderImageCommand(place.value.image ?? '')} label="Copy the command that shows this image" />
);
