import { PRIVILEGED_SCOPES, type Scope, SCOPES } from '../scopes.ts';

/** What a consent offers beside the ordinary scopes: off until the user chooses it. */
export interface ScopeGroup {
  name: string;
  title: string;
  /** What an app can do with the scope, for the person who decides. */
  meaning: string;
  scopes: readonly Scope[];
}

export const SCOPE_GROUPS: readonly ScopeGroup[] = [
  {
    name: 'approvals',
    title: 'Approval decisions',
    meaning: 'It approves and denies in your name what waits for a person.',
    scopes: ['approvals:decide'],
  },
  {
    name: 'channels',
    title: 'Notification channels',
    meaning: 'It connects and changes the chats and addresses that the workspace is notified in.',
    scopes: ['integrations:read', 'integrations:write', 'notifications:manage'],
  },
  {
    name: 'secrets',
    title: 'Secrets',
    meaning: 'It replaces and deletes secrets of the vault, and uses them in actions. It never reads their values.',
    scopes: ['secrets:read', 'secrets:write'],
  },
  {
    name: 'budgets',
    title: 'Budgets',
    meaning: 'It reads and changes what API keys may use in a month.',
    scopes: ['budgets:read', 'budgets:write'],
  },
];

const GROUPED: ReadonlySet<Scope> = new Set(SCOPE_GROUPS.flatMap(({ scopes }) => scopes));

/** Scopes that no group holds and that are not privileged: what an app asks for is granted unless the user takes it away. */
export const ORDINARY_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !PRIVILEGED_SCOPES.has(scope));

/**
 * All that an app can ever get. The other privileged scopes are for API keys alone: `actions:govern`, `actions:resolve`, `environments:halt`,
 * `policies:*`, `impact-limits:write`, and `messages:ingest`, which no group names.
 */
export const OFFERED_SCOPES: readonly Scope[] = SCOPES.filter(
  (scope) => ORDINARY_SCOPES.includes(scope) || GROUPED.has(scope),
);
