import type { JSX } from 'preact';
import type { Attention, Overview as OverviewAnswer } from '../../../src/dashboard/protocol.ts';
import { useResource } from '../data/resource.ts';
import { renderCount } from '../model/format.ts';
import { afterName } from '../model/image-name.ts';
import { Stack } from '../parts/charts.tsx';
import { Icon } from '../parts/icon.tsx';
import { ErrorBanner, ErrorNotice, Notice } from '../parts/notice.tsx';
import { Panel } from '../parts/panel.tsx';
import { Age, ImageLink, Text } from '../parts/text.tsx';
import { LastHour } from './overview-activity.tsx';
import { Cards, to } from './overview-cards.tsx';

const attentionViews: Readonly<Record<Attention['kind'], string>> = {
  'pull-failed': to('images', { pull: 'failed' }),
  'copy-failed': to('copies', { state: 'failed' }),
  'tag-moved': to('images'),
  'policy-not-ready': to('results'),
  'detection-failed': to('pipeline', { phase: 'failed' }),
  'job-failed': to('jobs', { state: 'failed' }),
  'sync-failed': to('system'),
};

const attentionWords: Readonly<Record<Attention['kind'], string>> = {
  'pull-failed': 'Pod cannot pull',
  'copy-failed': 'Copy failed',
  'tag-moved': 'Tag moved',
  'policy-not-ready': 'Policy not ready',
  'detection-failed': 'Detection failed',
  'job-failed': 'Job failed',
  'sync-failed': 'Sync failed',
};

function AttentionRow({ of }: { of: Attention }): JSX.Element {
  const { kind, level, subject, message, at, image, count } = of;
  return (
    <li class="feed-row">
      <span class={`state ${level === 'error' ? 'bad' : 'warn'}`}>
        <Icon name={level === 'error' ? 'cross' : 'alert'} size={14} />
        <span class="unseen">{level}</span>
      </span>
      <div class="feed-text">
        <p>
          <span class="feed-kind">{attentionWords[kind] ?? kind}</span>{' '}
          {image === undefined ? (
            <a class="lead" href={attentionViews[kind] ?? '/'}>
              <Text of={subject} length={90} />
            </a>
          ) : (
            <ImageLink id={image} />
          )}
          {count > 1 && <span class="pill">{renderCount(count)}×</span>}
        </p>
        <p class="feed-detail">
          <Text of={afterName(message, subject)} length={240} />
        </p>
      </div>
      <Age at={at} absent="" />
    </li>
  );
}

export function Overview(): JSX.Element {
  const { value, error } = useResource<OverviewAnswer>('/api/overview', { views: ['overview'] }).value;
  if (value === undefined) return error === undefined ? <OverviewLoading /> : <ErrorNotice error={error} />;
  const { attention, activity } = value;
  return (
    <>
      <ErrorBanner error={error} />
      <div class="page-body">
        <Cards of={value} />
        <div class="columns">
          <div class="stacked">
            <Panel title="Needs attention" count={attention.total || undefined}>
              {attention.items.length === 0 ? (
                <Notice icon="check" title="All is well">
                  No failed pull, copy, job or detection, and every policy is ready.
                </Notice>
              ) : (
                <ul class="feed">
                  {attention.items.map((item) => (
                    <AttentionRow key={`${item.kind} ${item.subject}`} of={item} />
                  ))}
                </ul>
              )}
              {attention.total > attention.items.length && (
                <p class="more">and {renderCount(attention.total - attention.items.length)} more</p>
              )}
            </Panel>
            <Registries of={value.images} />
          </div>
          <LastHour all={activity} />
        </div>
      </div>
    </>
  );
}

const maxRegistries = 8;

/** Where the images come from. */
function Registries({ of: { registries, total } }: { of: OverviewAnswer['images'] }): JSX.Element | null {
  if (registries.length === 0) return null;
  return (
    <Panel title="Registries" count={registries.length}>
      <ul class="bars">
        {registries.slice(0, maxRegistries).map(({ name, count }) => (
          <li key={name}>
            <a class="lead bars-name" href={to('images', { registry: name })}>
              <Text of={name} length={60} />
            </a>
            <Stack
              portions={[
                { name: 'images', count, tone: 'busy' },
                { name: 'of other registries', count: total - count, tone: 'idle' },
              ]}
            />
            <span class="bars-count">{renderCount(count)}</span>
          </li>
        ))}
      </ul>
      {registries.length > maxRegistries && (
        <p class="more">and {renderCount(registries.length - maxRegistries)} more</p>
      )}
    </Panel>
  );
}

function OverviewLoading(): JSX.Element {
  return (
    <div class="page-body" role="status" aria-label="Loading">
      <div class="cards">
        {['a', 'b', 'c', 'd'].map((key) => (
          <section class="card" key={key}>
            <span class="skeleton" />
            <span class="skeleton" />
          </section>
        ))}
      </div>
    </div>
  );
}
