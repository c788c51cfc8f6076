import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Activity, Overview as OverviewAnswer } from '../../../src/dashboard/protocol.ts';
import { place } from '../data/app-state.ts';
import { useResource } from '../data/resource.ts';
import { now } from '../data/time.ts';
import { type ActivityGroup, groupActivity } from '../model/activity.ts';
import { renderCount, renderNoun } from '../model/format.ts';
import { afterName, withoutName } from '../model/image-name.ts';
import { pickParams } from '../model/location.ts';
import { histogram } from '../model/stack.ts';
import { Spark } from '../parts/charts.tsx';
import { Search } from '../parts/controls.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { Panel } from '../parts/panel.tsx';
import type { Tone } from '../parts/state.tsx';
import { Age, ImageLink, ObjectName, Text } from '../parts/text.tsx';

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
          {of.image !== undefined ? (
            <ImageLink id={of.image} />
          ) : (
            of.object !== undefined && <ObjectName of={of.object} />
          )}
          {count > 1 && <span class="pill">{renderCount(count)}×</span>}
        </p>
        <p class="feed-detail">
          <Text of={detailOf(of)} length={240} />
        </p>
      </div>
      <Age at={of.at} />
    </li>
  );
}

/** The name of a copy repeats that of the image above it, and so do messages of failures. */
const detailOf = ({ kind, message, image }: Activity): string =>
  image === undefined ? message : kind === 'copied' ? withoutName(message, image) : afterName(message, image);

const spanMs = 2 * 60_000;
const maxGroups = 15;

/** What happened in the last hour; the parameter `q` of the page leaves what has all of its words. */
export function LastHour({ all }: { all: OverviewAnswer['activity'] }): JSX.Element {
  const query = pickParams(place.value.params, ['q']);
  const isFiltered = query.size > 0;
  const path = isFiltered ? `/api/overview?${query}` : undefined;
  const { value } = useResource<OverviewAnswer>(path, { views: ['overview'] }).value;
  // While the next answer is on its way the last one stays.
  const last = useRef(all);
  const isKnown = !isFiltered || value !== undefined;
  if (isKnown) last.current = isFiltered ? value!.activity : all;
  const { items, total } = last.current;
  const groups = groupActivity(items);
  const shown = groups.slice(0, maxGroups).reduce((sum, { count }) => sum + count, 0);
  const counts = histogram(
    items.map(({ at }) => Date.parse(at)),
    now.value,
    spanMs,
    30,
  );
  return (
    <Panel
      title="Last hour"
      count={total || undefined}
      tools={all.total > 0 && <Search label="Search the last hour" />}
    >
      {total > 0 ? (
        <>
          <Spark counts={counts} label={`${renderNoun(total, 'event')} in the last hour, per two minutes`} />
          <ul class="feed">
            {groups.slice(0, maxGroups).map((group, i) => (
              <ActivityRow key={`${group.newest.at} ${group.newest.message} ${i}`} group={group} />
            ))}
          </ul>
          {shown < total && <p class="more">and {renderCount(total - shown)} more</p>}
        </>
      ) : isFiltered ? (
        isKnown && <Notice icon="search" title="Nothing matches" />
      ) : (
        <Notice icon="clock" title="A quiet hour">
          Detections, commits, copies, jobs and events of the last hour appear here.
        </Notice>
      )}
    </Panel>
  );
}
