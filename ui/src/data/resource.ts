import { type ReadonlySignal, useSignal } from '@preact/signals';
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
  const state = useSignal<Resource<T>>({});
  useEffect(() => {
    state.value = {};
    if (path === undefined) return;
    const refresher = createRefresher({
      isAllowed: isVisible,
      async load(signal) {
        const answer = await get<T>(path, signal);
        noteAnswer(answer);
        const { value } = state.peek();
        if (answer.ok) state.value = { value: answer.value };
        else state.value = { error: answer.error, ...(value === undefined ? {} : { value }) };
        return answer.ok ? undefined : retryAfterMs(answer.error);
      },
    });
    refresher.request();
    const unsubscribe = onChange(interest, () => refresher.request());
    return () => {
      unsubscribe();
      refresher.stop();
    };
  }, [path]);
  return state;
}
