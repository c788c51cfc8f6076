import { effect } from '@preact/signals';
import type { Session } from '../../../src/dashboard/protocol.ts';
import { type ApiError, readSession, signIn, signOut } from './api.ts';
import { isVisible, session, signedIn } from './app-state.ts';
import { noteAnswer, retryAfterMs } from './resource.ts';

const answerTimeoutMs = 30_000;
/** How often to ask whether the server has read the whole cluster by now. */
const completePauseMs = 2_000;

/** All tabs of a browser have one cookie: who signs in or out does so in each. */
const tabs = new BroadcastChannel('supercargo-session');
type FromTab = 'signedIn' | 'signedOut';
const tellTabs = (message: FromTab) => tabs.postMessage(message);

/** Finds out who is signed in, by the token of a link if there is one, and stays up to date. */
export function startSession(): void {
  tabs.addEventListener('message', ({ data }: MessageEvent<FromTab>) => {
    const { kind } = session.peek();
    if (data === 'signedOut' && kind === 'signedIn') session.value = { kind: 'signedOut', wasSignedIn: true };
    else if (data === 'signedIn' && kind === 'signedOut') void open(undefined);
  });
  effect(() => {
    if (!isVisible.value || signedIn.value?.isComplete !== false) return;
    const ended = new AbortController();
    const timer = setTimeout(() => void readAgain(ended.signal), completePauseMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  });
  void open(takeToken());
}

/** Why it failed; undefined when it did not. */
export async function signInWith(token: string): Promise<string | undefined> {
  const answer = await signIn(token, AbortSignal.timeout(answerTimeoutMs)).catch(() => undefined);
  if (!answer?.ok) return answer?.error.message ?? 'The server does not answer.';
  enter(answer.value);
  return undefined;
}

export async function leave(): Promise<void> {
  await signOut(AbortSignal.timeout(answerTimeoutMs)).catch(() => undefined);
  session.value = { kind: 'signedOut', wasSignedIn: false };
  tellTabs('signedOut');
}

function enter(value: Session): void {
  session.value = { kind: 'signedIn', session: value };
  tellTabs('signedIn');
}

async function open(token: string | undefined): Promise<void> {
  const forever = new AbortController().signal;
  for (;;) {
    await untilVisible();
    const answer = token === undefined ? await readSession(forever) : await signIn(token, forever);
    if (answer.ok) {
      if (token === undefined) session.value = { kind: 'signedIn', session: answer.value };
      else enter(answer.value);
      return;
    }
    const { error } = answer;
    if (error.code === 'unauthenticated' || error.code === 'forbidden') {
      const told = token === undefined ? {} : { message: error.message };
      session.value = { kind: 'signedOut', wasSignedIn: false, ...told };
      return;
    }
    session.value = { kind: 'failed', error };
    await pause(error);
  }
}

/** The same session with what the server says of it now. */
async function readAgain(signal: AbortSignal): Promise<void> {
  const answer = await readSession(signal).catch(() => undefined);
  if (answer === undefined) return;
  noteAnswer(answer);
  const now = session.peek();
  if (now.kind !== 'signedIn') return;
  session.value = { kind: 'signedIn', session: answer.ok ? answer.value : { ...now.session } };
}

const pause = (error: ApiError) => new Promise<void>((done) => setTimeout(done, retryAfterMs(error) ?? 10_000));

/** A tab that is hidden asks for nothing. */
const untilVisible = () =>
  new Promise<void>((done) => {
    const end = effect(() => {
      if (isVisible.value) done();
      // It cannot end before it has begun.
      if (isVisible.value) queueMicrotask(() => end());
    });
  });

/** The token of a link, which must not stay in the address bar or in the history. */
function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
  if (token !== undefined) history.replaceState(null, '', `${location.pathname}${location.search}`);
  return token;
}
