import { computed, effect, signal } from '@preact/signals';
import type { ChangeMessage, Session } from '../../../src/dashboard/protocol.ts';
import { concerns, type Interest } from '../model/changes.ts';
import { type Place, parsePlace, renderPlace } from '../model/location.ts';
import type { ApiError } from './api.ts';
import type { LiveState } from './live.ts';

/** `loading`: not known yet. */
export type SessionState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'signedOut'; readonly wasSignedIn: boolean; readonly message?: string }
  | { readonly kind: 'signedIn'; readonly session: Session }
  | { readonly kind: 'failed'; readonly error: ApiError };

const here = () => parsePlace(location.pathname, location.search);

export const place = signal<Place>(here());
export const session = signal<SessionState>({ kind: 'loading' });
export const live = signal<LiveState>('waiting');
export const isVisible = signal(document.visibilityState !== 'hidden');
export const toast = signal<string | undefined>(undefined);
export const isHelpOpen = signal(false);

export const signedIn = computed(() => (session.value.kind === 'signedIn' ? session.value.session : undefined));

/** Goes to another place. With `replace` Back does not return to this one: for filters that are being typed. */
export function navigate(to: Place | string, { replace = false } = {}): void {
  const href = typeof to === 'string' ? to : renderPlace(to);
  if (href === `${location.pathname}${location.search}`) return;
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  place.value = here();
}

type Listener = (change: ChangeMessage | 'any') => void;
const listeners = new Set<readonly [Interest, Listener]>();

/** Calls `listener` when what it is interested in may have changed; ends with the returned function. */
export function onChange(interest: Interest, listener: () => void): () => void {
  const entry = [interest, listener] as const;
  listeners.add(entry);
  return () => listeners.delete(entry);
}

export function publishChange(change: ChangeMessage | 'any'): void {
  for (const [interest, listener] of [...listeners])
    if (change === 'any' || concerns(change, interest)) listener(change);
}

export function showToast(text: string): void {
  toast.value = text;
}

effect(() => {
  if (toast.value === undefined) return;
  const timer = setTimeout(() => {
    toast.value = undefined;
  }, 2500);
  return () => clearTimeout(timer);
});

addEventListener('popstate', () => {
  place.value = here();
});
