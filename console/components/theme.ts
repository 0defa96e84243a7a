import { useSyncExternalStore } from 'react';

/** Light or dark as the system has it, or as the person has chosen here. The palette has both (api/html/palette.ts). */

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const REMEMBERED = 'console.theme';
const listeners = new Set<() => void>();
const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');

function chosen(): Theme {
  const remembered = localStorage.getItem(REMEMBERED);
  return THEMES.find((theme) => theme === remembered) ?? 'system';
}

function show(): void {
  const theme = chosen();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  for (const listener of listeners) listener();
}

/** Before the first screen is drawn. Another tab that changes it changes it here. */
export function startTheme(): void {
  show();
  window.addEventListener('storage', ({ key }) => key === REMEMBERED && show());
  systemIsDark.addEventListener('change', show);
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(REMEMBERED, theme);
  show();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosen);
}

/** What is drawn on a canvas has to be drawn again when this changes. */
export function useIsDark(): boolean {
  const isDark = (): boolean => (chosen() === 'system' ? systemIsDark.matches : chosen() === 'dark');
  return useSyncExternalStore(subscribe, isDark);
}
