import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const order: readonly Theme[] = ['system', 'light', 'dark'];
const key = 'supercargo-theme';

export const theme = signal<Theme>(stored());

export function nextTheme(): void {
  theme.value = order[(order.indexOf(theme.peek()) + 1) % order.length]!;
}

function stored(): Theme {
  try {
    return order.find((name) => name === localStorage.getItem(key)) ?? 'system';
  } catch {
    // A browser that keeps nothing for this page.
    return 'system';
  }
}

effect(() => {
  const root = document.documentElement;
  if (theme.value === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = theme.value;
  try {
    localStorage.setItem(key, theme.value);
  } catch {
    // The choice then lasts as long as the page.
  }
});
