import { type ReadonlySignal, signal, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Interest } from '../model/changes.ts';
import { type Answer, type ApiError, get } from './api.ts';
import { isVisible, onChange, session } from './app-state.ts';
import { createRefresher } from './refresher.ts';

export interface Resource<T> {
  /** The last good answer, also while a newer one is on its way or failed to come. */
  readonly value?: T;
  readonly error?: ApiError;
}

const retryMs = 3000;

/** Ends the session on the page when the server says that there is none. */
export function noteAnswer(answer: Answer<unknown>): void {
  if (answer.ok || answer.error.code !== 'unauthenticated') return;
  if (session.peek().kind !== 'signedOut') session.value = { kind: 'signedOut', wasSignedIn: true };
}

/** When to ask again after an error that passes by itself. */
export function retryAfterMs({ code, retryAfterMs }: ApiError): number | undefined {
  const isTemporary = code === 'network' || code === 'starting' || code === 'too-many' || code === 'unavailable';
  return isTemporary ? Math.max(retryMs, retryAfterMs ?? 0) : undefined;
}

/** The answer of `path`, kept up to date while it is shown and the tab is visible. The interest follows from the path. */
export function useResource<T>(path: string | undefined, interest: Interest): ReadonlySignal<Resource<T>> {
  const shown = useSignal<ReadonlySignal<Resource<unknown>>>(nothing);
  useEffect(() => {
    shown.value = nothing;
    if (path === undefined) return;
    const { state, release } = hold(path, interest);
    shown.value = state;
    return release;
  }, [path]);
  return useComputed(() => shown.value.value as Resource<T>);
}

const nothing = signal<Resource<unknown>>({});

interface Held {
  readonly state: ReadonlySignal<Resource<unknown>>;
  users: number;
  stop(): void;
}

/** Several parts of a view may show the same answer: it is asked for once. */
const held = new Map<string, Held>();

function hold(path: string, interest: Interest): Pick<Held, 'state'> & { release(): void } {
  const entry = held.get(path) ?? follow(path, interest);
  held.set(path, entry);
  entry.users++;
  return {
    state: entry.state,
    release() {
      if (--entry.users > 0) return;
      held.delete(path);
      entry.stop();
    },
  };
}

function follow(path: string, interest: Interest): Held {
  const state = signal<Resource<unknown>>({});
  const refresher = createRefresher({
    isAllowed: isVisible,
    async load(until) {
      const answer = await get<unknown>(path, until);
      noteAnswer(answer);
      const { value } = state.peek();
      if (answer.ok) state.value = { value: answer.value };
      else state.value = { error: answer.error, ...(value === undefined ? {} : { value }) };
      return answer.ok ? undefined : retryAfterMs(answer.error);
    },
  });
  refresher.request();
  const unsubscribe = onChange(interest, () => refresher.request());
  return {
    state,
    users: 0,
    stop() {
      unsubscribe();
      refresher.stop();
    },
  };
}
