import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Overview as OverviewAnswer, Session } from '../../../src/dashboard/protocol.ts';
import { isHelpOpen, live, navigate, place, toast } from '../data/app-state.ts';
import { onAction } from '../data/keyboard.ts';
import { useResource } from '../data/resource.ts';
import { leave } from '../data/session.ts';
import { nextTheme, theme } from '../data/theme.ts';
import { renderShortCount } from '../model/format.ts';
import { splitImage } from '../model/image-name.ts';
import { renderPlace, type ViewName, viewNames } from '../model/location.ts';
import { shortcutHelp } from '../model/shortcuts.ts';
import { visibleText } from '../model/visible-text.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { Text } from '../parts/text.tsx';
import { Copies } from './copies.tsx';
import { Explain } from './explain.tsx';
import { Image, ImageTools } from './image.tsx';
import { Images } from './images.tsx';
import { Jobs } from './jobs.tsx';
import { Overview } from './overview.tsx';
import { Pipeline } from './pipeline.tsx';
import { Results } from './results.tsx';
import { System } from './system.tsx';

const titles: Readonly<Record<ViewName, string>> = {
  overview: 'Overview',
  images: 'Images',
  copies: 'Copies',
  pipeline: 'Pipeline',
  results: 'Results',
  jobs: 'Jobs',
  system: 'System',
};

const views: Readonly<Record<ViewName, () => JSX.Element>> = {
  overview: Overview,
  images: Images,
  copies: Copies,
  pipeline: Pipeline,
  results: Results,
  jobs: Jobs,
  system: System,
};

/** The mark of the brand: a container seen from above its corner. */
export function Mark({ size = 22 }: { size?: number }): JSX.Element {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      stroke-width="1.900"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d="M12 2.500 20.500 7v10L12 21.500 3.500 17V7z" />
      <path d="M3.500 7 12 11.500 20.500 7M12 11.500v10" />
    </svg>
  );
}

interface Badge {
  readonly count: number;
  readonly isAlarm?: boolean;
}

function badges(overview: OverviewAnswer | undefined): Readonly<Partial<Record<ViewName, Badge>>> {
  if (overview === undefined) return {};
  const { copies, results, jobs, detections } = overview;
  const alarm = (count: number | undefined) => (count ? { count, isAlarm: true } : undefined);
  const found = {
    images: { count: overview.images.total },
    copies: alarm(copies?.failed),
    pipeline: alarm(detections?.failed),
    results: alarm(results && results.fail + results.error),
    jobs: alarm(jobs?.failed),
  };
  return Object.fromEntries(Object.entries(found).filter(([, badge]) => badge !== undefined));
}

function Side({ session: { cluster, user, method, version } }: { session: Session }): JSX.Element {
  const overview = useResource<OverviewAnswer>('/api/overview', { views: ['overview'] }).value.value;
  const counts = badges(overview);
  const current = place.value.view === 'image' ? 'images' : place.value.view;
  return (
    <div class="side">
      <a class="brand" href="/" aria-label="Supercargo, overview">
        <Mark />
        <span>Supercargo</span>
      </a>
      <nav aria-label="Views">
        <ul>
          {viewNames.map((view) => {
            const badge = counts[view];
            return (
              <li key={view}>
                <a href={renderPlace({ view, params: {} })} aria-current={view === current ? 'page' : undefined}>
                  <Icon name={view as IconName} />
                  <span>{titles[view]}</span>
                  {badge !== undefined && (
                    <span class={badge.isAlarm ? 'count alarm' : 'count'}>
                      {renderShortCount(badge.count)}
                      {badge.isAlarm && <span class="unseen"> failed</span>}
                    </span>
                  )}
                </a>
              </li>
            );
          })}
        </ul>
      </nav>
      <div class="side-foot">
        {cluster !== '' && (
          <span class="cluster" title={visibleText(cluster)}>
            <Text of={cluster} length={80} />
          </span>
        )}
        {user !== cluster && (
          <span class="cluster" title={visibleText(user)}>
            <Text of={user} length={80} />
          </span>
        )}
        <span>Version {visibleText(version)}</span>
        {method === 'token' && (
          <button type="button" class="button" onClick={() => void leave()}>
            <Icon name="leave" size={14} />
            Sign out
          </button>
        )}
      </div>
    </div>
  );
}

const liveWords = {
  open: 'Live',
  waiting: 'Reconnecting',
  stopped: 'Signed out',
  idle: 'Paused',
} as const;

const themeWords = { system: 'the system’s theme', light: 'light', dark: 'dark' } as const;
const themeIcons = { system: 'screen', light: 'sun', dark: 'moon' } as const;

function Top(): JSX.Element {
  const { view, image } = place.value;
  const name = image === undefined ? undefined : splitImage(image);
  return (
    <header class="top">
      {view === 'image' && name !== undefined ? (
        <h1 tabIndex={-1}>
          <span class="crumb faint">
            <span class="crumb-up">
              <a href="/images">Images</a>
              {' / '}
            </span>
            <Text of={name.prefix} length={60} />
          </span>
          <Text of={`${name.name}${name.tag === undefined ? '' : `:${name.tag}`}`} length={80} />
        </h1>
      ) : (
        <h1 tabIndex={-1}>{view === 'missing' ? 'Not found' : titles[view as ViewName]}</h1>
      )}
      <div class="top-tools">
        <span class={`live ${live.value}`} role="status">
          {liveWords[live.value]}
        </span>
        {view === 'image' && <ImageTools />}
        <button
          type="button"
          class="icon-button"
          title={`Theme: ${themeWords[theme.value]}`}
          aria-label={`Theme: ${themeWords[theme.value]}. Switch`}
          onClick={nextTheme}
        >
          <Icon name={themeIcons[theme.value]} />
        </button>
        <button
          type="button"
          class="icon-button"
          title="Keyboard shortcuts (?)"
          aria-label="Keyboard shortcuts"
          onClick={() => {
            isHelpOpen.value = true;
          }}
        >
          <Icon name="help" />
        </button>
      </div>
    </header>
  );
}

function Help(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isHelpOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isHelpOpen.value]);
  return (
    <dialog
      class="dialog"
      ref={dialog}
      aria-label="Keyboard shortcuts"
      onClose={() => {
        isHelpOpen.value = false;
      }}
      closedby="any"
    >
      <header>
        <h2>Keyboard shortcuts</h2>
        <button
          type="button"
          class="icon-button"
          aria-label="Close"
          onClick={() => {
            isHelpOpen.value = false;
          }}
        >
          <Icon name="cross" />
        </button>
      </header>
      <dl>
        {shortcutHelp.map(([keys, what]) => (
          <>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
    </dialog>
  );
}

const NotFound = (): JSX.Element => (
  <Notice
    icon="search"
    title="No such page"
    actions={
      <a class="button" href="/">
        Overview
      </a>
    }
  >
    The link may be of another version.
  </Notice>
);

// These scroll by themselves.
const filling = new Set<string>(['images', 'copies', 'pipeline', 'results', 'jobs']);

export function Shell({ session: known }: { session: Session }): JSX.Element {
  const { view, image } = place.value;
  const title =
    view === 'image' ? visibleText((image ?? '').slice(0, 200)) : view === 'missing' ? 'Not found' : titles[view];
  useEffect(() => {
    document.title = `${title} · Supercargo${known.cluster === '' ? '' : ` · ${visibleText(known.cluster)}`}`;
  }, [title, known.cluster]);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    // A screen reader and the keyboard go on at the new page's heading.
    if (!isFirst.current) main.current?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    isFirst.current = false;
    main.current?.querySelector('.page')?.scrollTo(0, 0);
  }, [view, image]);
  useEffect(
    () =>
      onAction((action) => {
        if (action.kind === 'help') isHelpOpen.value = !isHelpOpen.peek();
        else if (action.kind === 'theme') nextTheme();
        else if (action.kind === 'go') navigate(renderPlace({ view: action.view, params: {} }));
        else if (action.kind === 'search') focusSearch();
        else if (action.kind === 'close' && document.activeElement instanceof HTMLInputElement)
          document.activeElement.blur();
      }),
    [],
  );
  const View = view === 'image' ? Image : view === 'missing' ? NotFound : views[view];
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Side session={known} />
      <main class="main" ref={main} id="content">
        <Top />
        {!known.isComplete && (
          <div class="banner" role="status">
            <Icon name="spin" size={14} />
            Supercargo is still reading the cluster: numbers may be too small.
          </div>
        )}
        {live.value === 'waiting' && <span class="unseen">Reconnecting</span>}
        <div class={filling.has(view) ? 'page fills' : 'page'}>
          <View key={view === 'image' ? `image ${image}` : view} />
        </div>
      </main>
      <Explain />
      <Help />
      {toast.value !== undefined && (
        <div class="toast" role="status">
          {toast.value}
        </div>
      )}
    </div>
  );
}

/** Views without a search field lead to that of the images. */
function focusSearch(): void {
  if (focusField()) return;
  navigate(renderPlace({ view: 'images', params: {} }));
  requestAnimationFrame(focusField);
}

/** At once: the next key may come before the next frame. */
function focusField(): boolean {
  const field = document.querySelector<HTMLInputElement>('#search');
  field?.focus();
  field?.select();
  return field !== null;
}
