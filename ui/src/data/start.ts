import { effect } from '@preact/signals';
import { type ApiError, readSession, signIn } from './api.ts';
import { isVisible, live, navigate, now, publishChange, session, signedIn } from './app-state.ts';
import { listenToKeys } from './keyboard.ts';
import { createLive } from './live.ts';
import { retryAfterMs } from './resource.ts';

const clockMs = 10_000;

/** Everything that runs beside the components: the session, the stream, the clock, links and keys. */
export function start(): void {
  document.addEventListener('visibilitychange', () => {
    isVisible.value = document.visibilityState !== 'hidden';
  });
  effect(() => {
    if (!isVisible.value) return;
    now.value = Date.now();
    const timer = setInterval(() => {
      now.value = Date.now();
    }, clockMs);
    return () => clearInterval(timer);
  });
  document.addEventListener('click', followLink);
  listenToKeys();
  receiveChanges();
  void openSession();
}

async function openSession(): Promise<void> {
  const token = takeToken();
  const forever = new AbortController().signal;
  for (;;) {
    const answer = token === undefined ? await readSession(forever) : await signIn(token, forever);
    if (answer.ok) {
      session.value = { kind: 'signedIn', session: answer.value };
      return;
    }
    const { error } = answer;
    if (error.code === 'unauthenticated' || error.code === 'forbidden') {
      session.value = {
        kind: 'signedOut',
        wasSignedIn: false,
        ...(token === undefined ? {} : { message: error.message }),
      };
      return;
    }
    session.value = { kind: 'failed', error };
    await pause(error);
  }
}

const pause = (error: ApiError) => new Promise<void>((done) => setTimeout(done, retryAfterMs(error) ?? 10_000));

/** The token of a link, which must not stay in the address bar or in the history. */
function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
  if (token !== undefined) history.replaceState(null, '', `${location.pathname}${location.search}`);
  return token;
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
  effect(() => {
    if (!isVisible.value || signedIn.value === undefined) return;
    const ended = new AbortController();
    void stream.run(ended.signal);
    return () => {
      ended.abort();
      live.value = 'idle';
    };
  });
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });
