import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Facet } from '../../../src/dashboard/protocol.ts';
import { navigate, place, showToast } from '../data/app-state.ts';
import { renderCount } from '../model/format.ts';
import { renderPlace, withParams } from '../model/location.ts';
import { shortened, visibleText } from '../model/visible-text.ts';
import { Icon } from './icon.tsx';

const typingPauseMs = 150;

/** The filter `q` of the URL, a moment after typing has stopped. */
export function Search({ label }: { label: string }): JSX.Element {
  const known = place.value.params['q'] ?? '';
  const [text, setText] = useState(known);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const sent = useRef(known);
  useEffect(() => {
    // Back, or a link with another search: what was typed gives way, unless it is what was just sent or more is to be.
    if (known !== sent.current && timer.current === undefined) setText(known);
    sent.current = known;
  }, [known]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <label class="field">
      <span class="unseen">{label}</span>
      <Icon name="search" size={14} />
      <input
        type="search"
        id="search"
        placeholder={label}
        value={text}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => {
            timer.current = undefined;
            sent.current = value.trim();
            navigate(withParams(place.peek(), { q: value.trim() }), { replace: true });
          }, typingPauseMs);
        }}
      />
      <kbd>/</kbd>
    </label>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly count?: number;
}

export const facetChoices = (facets: readonly Facet[] | undefined): Choice[] =>
  (facets ?? []).map(({ name, count }) => ({ value: name, label: name, count }));

/** A filter of the URL with one value. */
export function Select({
  name,
  label,
  choices,
}: {
  name: string;
  label: string;
  choices: readonly Choice[];
}): JSX.Element {
  const value = place.value.params[name] ?? '';
  const all =
    value === '' || choices.some((choice) => choice.value === value) ? choices : [{ value, label: value }, ...choices];
  return (
    <span class={value === '' ? 'select' : 'select set'}>
      <select
        aria-label={label}
        value={value}
        onChange={({ currentTarget }) => navigate(withParams(place.peek(), { [name]: currentTarget.value }))}
      >
        <option value="">{label}</option>
        {all.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {shortened(visibleText(choice.label), 60)}
            {choice.count === undefined ? '' : ` (${renderCount(choice.count)})`}
          </option>
        ))}
      </select>
      <Icon name="down" size={12} />
    </span>
  );
}

export function Toggle({ name, label }: { name: string; label: string }): JSX.Element {
  return (
    <label class="toggle">
      <input
        type="checkbox"
        checked={place.value.params[name] === 'true'}
        onChange={({ currentTarget }) =>
          navigate(withParams(place.peek(), { [name]: currentTarget.checked ? 'true' : undefined }))
        }
      />
      {label}
    </label>
  );
}

/** Links that set one parameter of the URL; the first is the usual value and has no parameter. */
export function Segments({
  name,
  label,
  choices,
}: {
  name: string;
  label: string;
  choices: readonly Choice[];
}): JSX.Element {
  const current = place.value.params[name] ?? '';
  const nav = useRef<HTMLElement>(null);
  // On a phone the choices are wider than the screen.
  useLayoutEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <nav class="segments" aria-label={label} ref={nav}>
      {choices.map(({ value, label: text, count }) => (
        <a
          key={value}
          href={renderPlace(withParams(place.value, { [name]: value }))}
          aria-current={value === current ? 'true' : undefined}
        >
          {text}
          {count !== undefined && <span class="count">{renderCount(count)}</span>}
        </a>
      ))}
    </nav>
  );
}

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(`Copied: ${shortened(visibleText(text.slice(0, 1_000)), 120)}`);
  } catch {
    showToast('The browser does not allow copying here.');
  }
}

export function CopyButton({ text, label }: { text: string; label: string }): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button row-action"
      title={label}
      aria-label={label}
      onClick={(event) => {
        event.stopPropagation();
        void copyText(text);
      }}
    >
      <Icon name="clipboard" size={14} />
    </button>
  );
}

/** Closes when something else gets the focus, or by Escape. */
export function Menu({ label, children }: { label: ComponentChildren; children: ComponentChildren }): JSX.Element {
  const element = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (element.current) element.current.open = false;
  };
  return (
    <details
      class="menu"
      ref={element}
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node) || !element.current?.contains(relatedTarget)) close();
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
      onClick={({ target }) => {
        if (target instanceof Element && target.closest('.menu-list')) close();
      }}
    >
      <summary class="button">{label}</summary>
      <div class="menu-list">{children}</div>
    </details>
  );
}
