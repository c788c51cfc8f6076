import { computed, effect } from '@preact/signals';
import { isVisible, live, navigate, publishChange, session, signedIn } from './app-state.ts';
import { listenToKeys } from './keyboard.ts';
import { createLive } from './live.ts';
import { startSession } from './session.ts';
import { startClock } from './time.ts';

/** Everything that runs beside the components: the session, the stream, the clock, links and keys. */
export function start(): void {
  document.addEventListener('visibilitychange', () => {
    isVisible.value = document.visibilityState !== 'hidden';
  });
  startClock();
  document.addEventListener('click', followLink);
  listenToKeys();
  receiveChanges();
  startSession();
}

/** Links within the page do not load it again. */
function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const href = link?.getAttribute('href');
  if (!link || !href?.startsWith('/') || href.startsWith('//') || link.target !== '') return;
  event.preventDefault();
  navigate(href);
}

function receiveChanges(): void {
  const stream = createLive(
    {
      onState(state) {
        live.value = state;
        if (state === 'stopped') session.value = { kind: 'signedOut', wasSignedIn: true };
      },
      onChange: publishChange,
      onGap: () => publishChange('any'),
    },
    {
      fetch: (path, options) => fetch(path, options),
      locks: navigator.locks,
      channel: new BroadcastChannel('supercargo'),
      sleep,
      random: Math.random,
      now: Date.now,
    },
  );
  const isSignedIn = computed(() => signedIn.value !== undefined);
  effect(() => {
    if (!isVisible.value || !isSignedIn.value) return;
    const ended = new AbortController();
    void stream.run(ended.signal, signedIn.peek()?.lastEventId ?? '');
    return () => {
      ended.abort();
      live.value = 'idle';
    };
  });
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const end = () => {
      clearTimeout(timer);
      // The signal lives as long as the page, which may be days.
      signal.removeEventListener('abort', end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
