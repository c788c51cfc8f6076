import type { ComponentChildren, JSX } from 'preact';
import type { Activity, Attention, Overview as OverviewAnswer } from '../../../src/dashboard/protocol.ts';
import { useResource } from '../data/resource.ts';
import { now } from '../data/time.ts';
import { type ActivityGroup, groupActivity } from '../model/activity.ts';
import { renderCount, renderNoun } from '../model/format.ts';
import { afterName } from '../model/image-name.ts';
import { histogram } from '../model/stack.ts';
import { Spark } from '../parts/charts.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { ErrorBanner, ErrorNotice, Notice } from '../parts/notice.tsx';
import type { Tone } from '../parts/state.tsx';
import { Age, ImageLink, Text } from '../parts/text.tsx';
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

const activityLooks: Readonly<Record<Activity['kind'], readonly [IconName, Tone, string]>> = {
  detected: ['search', 'busy', 'Detected'],
  committed: ['pipeline', 'good', 'Committed'],
  copied: ['copies', 'good', 'Copied'],
  'copy-failed': ['cross', 'bad', 'Copy failed'],
  'job-started': ['jobs', 'busy', 'Job started'],
  'job-succeeded': ['check', 'good', 'Job succeeded'],
  'job-failed': ['cross', 'bad', 'Job failed'],
  started: ['images', 'busy', 'Started'],
  synced: ['check', 'good', 'Synced'],
  'sync-failed': ['cross', 'bad', 'Sync failed'],
  event: ['dot', 'idle', 'Event'],
};

function ActivityRow({ group: { newest: of, count } }: { group: ActivityGroup }): JSX.Element {
  const [icon, tone, word] = activityLooks[of.kind] ?? activityLooks.event;
  return (
    <li class="feed-row">
      <span class={`state ${tone}`}>
        <Icon name={icon} size={14} />
      </span>
      <div class="feed-text">
        <p>
          <span class="feed-kind">{of.reason === undefined ? word : <Text of={of.reason} length={40} />}</span>{' '}
          {of.image !== undefined && <ImageLink id={of.image} />}
          {count > 1 && <span class="pill">{renderCount(count)}×</span>}
        </p>
        <p class="feed-detail">
          <Text of={of.message} length={240} />
        </p>
      </div>
      <Age at={of.at} />
    </li>
  );
}

function Section({
  title,
  total,
  children,
}: {
  title: string;
  total: number;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <h2>
        {title} {total > 0 && <span class="count">{renderCount(total)}</span>}
      </h2>
      {children}
    </section>
  );
}

const spanMs = 2 * 60_000;

export function Overview(): JSX.Element {
  const { value, error } = useResource<OverviewAnswer>('/api/overview', { views: ['overview'] }).value;
  if (value === undefined) return error === undefined ? <OverviewLoading /> : <ErrorNotice error={error} />;
  const { attention, activity } = value;
  const groups = groupActivity(activity.items);
  const shown = groups.slice(0, 15).reduce((all, { count }) => all + count, 0);
  const counts = histogram(
    activity.items.map(({ at }) => Date.parse(at)),
    now.value,
    spanMs,
    30,
  );
  return (
    <>
      <ErrorBanner error={error} />
      <div class="page-body">
        <Cards of={value} />
        <div class="columns">
          <Section title="Needs attention" total={attention.total}>
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
          </Section>
          <Section title="Last hour" total={activity.total}>
            {activity.items.length === 0 ? (
              <Notice icon="clock" title="A quiet hour">
                Detections, commits, copies, jobs and events of the last hour appear here.
              </Notice>
            ) : (
              <>
                <Spark
                  counts={counts}
                  label={`${renderNoun(activity.total, 'event')} in the last hour, per two minutes`}
                />
                <ul class="feed">
                  {groups.slice(0, 15).map((group, i) => (
                    <ActivityRow key={`${group.newest.at} ${group.newest.message} ${i}`} group={group} />
                  ))}
                </ul>
                {shown < activity.total && <p class="more">and {renderCount(activity.total - shown)} more</p>}
              </>
            )}
          </Section>
        </div>
      </div>
    </>
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
