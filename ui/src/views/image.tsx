import type { JSX } from 'preact';
import type { ImageAnswer, LifeStage, ShownKind } from '../../../src/dashboard/protocol.ts';
import { place } from '../data/app-state.ts';
import { useResource } from '../data/resource.ts';
import { renderCount } from '../model/format.ts';
import { shortCommit, shortDigest, withoutName } from '../model/image-name.ts';
import { renderImageCommand } from '../model/kubectl.ts';
import { visibleText } from '../model/visible-text.ts';
import { CopyButton, copyText } from '../parts/controls.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { ErrorBanner, ErrorNotice, Loading, Notice } from '../parts/notice.tsx';
import { copyLooks, Pill, State, type Tone } from '../parts/state.tsx';
import { Age, Breaking, Text } from '../parts/text.tsx';
import { ResultCounts, Vulnerabilities } from './counts.tsx';
import { ImageParts } from './image-parts.tsx';

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

/** A commit and a copy have their full names below. */
function shortDetail(stage: LifeStage['stage'], detail: string, id: string): string {
  if (stage === 'committed') return shortCommit(detail);
  return stage === 'copied' ? withoutName(detail, id) : detail;
}

function Life({ id, stages }: { id: string; stages: readonly LifeStage[] }): JSX.Element {
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
              <Breaking of={state === 'done' ? shortDetail(stage, detail, id) : detail} length={110} />
            </p>
          </li>
        );
      })}
    </ol>
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
        <Life id={value.image.id} stages={value.life} />
        {value.hidden.length > 0 && (
          <p class="hint">
            <Icon name="alert" size={14} />
            Left out, as there are none that you may list:{' '}
            {value.hidden.map((kind) => hiddenWords[kind] ?? kind).join(', ')}.
          </p>
        )}
        <ImageParts of={value} />
      </div>
    </>
  );
}

/** In the top bar of an image. */
export const ImageTools = (): JSX.Element => (
  <CopyButton text={renderImageCommand(place.value.image ?? '')} label="Copy the command that shows this image" />
);
