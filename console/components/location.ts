import { useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useSyncExternalStore } from 'react';

/** The address is the state of a screen: filters, page and the open span stand in it, so that back and reload keep them. */

export type SearchText = Record<string, string>;

const REMEMBERED = 'console.environment';
const listeners = new Set<() => void>();
const remembered = (): string | null => localStorage.getItem(REMEMBERED);
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Taken from the path; on the screens of a workspace `?e=` names it, and where it does not, the one that was looked at last. */
export function useEnvironmentId(): string | undefined {
  const { environmentId } = useParams({ strict: false });
  const search = useSearch({ strict: false }) as SearchText;
  const last = useSyncExternalStore(subscribe, remembered);
  return environmentId ?? search['e'] ?? last ?? undefined;
}

export function rememberEnvironment(id: string): void {
  if (remembered() === id) return;
  localStorage.setItem(REMEMBERED, id);
  for (const listener of listeners) listener();
}

export function useSearchText(): {
  search: SearchText;
  change: (changes: Record<string, string | undefined>, options?: { replace?: boolean }) => void;
} {
  const search = useSearch({ strict: false }) as SearchText;
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const change = useCallback(
    (changes: Record<string, string | undefined>, { replace = false } = {}) => {
      const next = Object.fromEntries(
        Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined && value !== ''),
      );
      void navigate({ to: pathname, search: next, replace });
    },
    [navigate, pathname, search],
  );
  return { search, change };
}

export function parseSearchText(text: string): SearchText {
  return Object.fromEntries(new URLSearchParams(text));
}

export function searchTextOf(search: Record<string, unknown>): string {
  const text = new URLSearchParams(
    Object.entries(search).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value]] : [],
    ),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

/** A path inside the environment of the address. */
export function useInEnvironment(): (path: string) => string {
  const environmentId = useEnvironmentId() ?? '';
  return useCallback((path: string) => `/e/${environmentId}${path}`, [environmentId]);
}
