import type { ViewName } from './location.ts';

export type Action =
  | { readonly kind: 'search' | 'next' | 'previous' | 'open' | 'help' | 'close' | 'copy' | 'theme' }
  | { readonly kind: 'go'; readonly view: ViewName };

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** Whether the person is typing: only Escape counts then. */
  readonly typing: boolean;
}

const single: Readonly<Record<string, Action['kind']>> = {
  '/': 'search',
  j: 'next',
  k: 'previous',
  Enter: 'open',
  '?': 'help',
  Escape: 'close',
  c: 'copy',
  t: 'theme',
};

const views: Readonly<Record<string, ViewName>> = {
  o: 'overview',
  i: 'images',
  c: 'copies',
  p: 'pipeline',
  r: 'results',
  j: 'jobs',
  s: 'system',
};

/** What is shown by `?`. */
export const shortcutHelp: readonly (readonly [keys: string, what: string])[] = [
  ['/', 'Search'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['c', 'Copy the row’s kubectl command'],
  ['g then o i c p r j s', 'Go to Overview, Images, Copies, Pipeline, Results, Jobs, System'],
  ['t', 'Switch between light, dark and the system’s theme'],
  ['?', 'This help'],
  ['Esc', 'Close, or leave the search field'],
];

/** Turns keys into actions. It remembers a `g`, which waits for the view's letter. */
export function createShortcuts(): (press: KeyPress) => Action | undefined {
  let going = false;
  return ({ key, ctrlKey, metaKey, altKey, typing }) => {
    if (typing) {
      going = false;
      return key === 'Escape' ? { kind: 'close' } : undefined;
    }
    if (ctrlKey || metaKey || altKey) return undefined;
    if (going) {
      going = false;
      if (Object.hasOwn(views, key)) return { kind: 'go', view: views[key]! };
    }
    if (key === 'g') {
      going = true;
      return undefined;
    }
    return Object.hasOwn(single, key) ? ({ kind: single[key] } as Action) : undefined;
  };
}
