import { type Action, createShortcuts } from '../model/shortcuts.ts';

const handlers = new Set<(action: Action) => void>();

/** Actions of the keyboard for what is shown; ends with the returned function. */
export function onAction(handler: (action: Action) => void): () => void {
  handlers.add(handler);
  return () => handlers.delete(handler);
}

export function listenToKeys(): void {
  const shortcut = createShortcuts();
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    const typing = target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
    // Enter and space on a control are the control's.
    const action = shortcut({ ...pick(event), typing });
    if (action === undefined || action.kind === 'open') return;
    if (action.kind !== 'close') event.preventDefault();
    for (const handler of [...handlers]) handler(action);
  });
}

const pick = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) => ({ key, ctrlKey, metaKey, altKey });
