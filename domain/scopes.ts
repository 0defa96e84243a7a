import { type Role, roleSuffices } from './roles.ts';

/**
 * `privileged`: not granted by default. `earlier`: in a namespace that no preset grants (docs/identity.md, "API keys").
 * `forMembers`: a member's app holds it; all others take an admin (docs/oauth.md, "What the user allows").
 */
interface ScopeFacts {
  privileged?: true;
  earlier?: true;
  forMembers?: true;
}

export const SCOPE_TABLE = {
  'messages:read': { earlier: true, forMembers: true },
  'messages:write': { earlier: true },
  'messages:ingest': { privileged: true, earlier: true },
  'schedules:read': { earlier: true, forMembers: true },
  'schedules:write': { earlier: true },
  'queues:read': { earlier: true },
  'queues:write': { earlier: true },
  'workflows:read': { earlier: true },
  'workflows:write': { earlier: true },
  'integrations:read': { privileged: true, forMembers: true },
  'integrations:write': { privileged: true },
  'logs:read': { earlier: true },
  'dlq:read': { earlier: true, forMembers: true },
  'dlq:write': { earlier: true },
  'flow-control:read': { earlier: true, forMembers: true },
  'flow-control:write': { earlier: true },
  'url-groups:read': { earlier: true, forMembers: true },
  'url-groups:write': { earlier: true },
  'billing:read': {},
  'notifications:read': { forMembers: true },
  'notifications:write': { forMembers: true },
  'notifications:manage': { privileged: true },
  'feedback:write': { earlier: true },
  'analytics:read': { forMembers: true },
  'memory:read': { earlier: true, forMembers: true },
  'memory:write': { earlier: true, forMembers: true },
  'events:read': { forMembers: true },
  'events:write': { forMembers: true },
  'files:read': { forMembers: true },
  'files:write': { forMembers: true },
  'cache:read': { forMembers: true },
  'cache:write': { forMembers: true },
  'sessions:read': { forMembers: true },
  'sessions:write': { forMembers: true },
  'context:read': { forMembers: true },
  'secrets:read': { privileged: true },
  'secrets:write': { privileged: true },
  'actions:read': { forMembers: true },
  'actions:write': {},
  'actions:invoke': { forMembers: true },
  'actions:govern': { privileged: true },
  'actions:resolve': { privileged: true },
  'approvals:read': { forMembers: true },
  'approvals:write': {},
  'approvals:decide': { privileged: true, forMembers: true },
  'budgets:read': { privileged: true, forMembers: true },
  'budgets:write': { privileged: true },
  'runs:read': { forMembers: true },
  'runs:write': { forMembers: true },
  'environments:halt': { privileged: true },
  'policies:read': { privileged: true },
  'policies:write': { privileged: true },
  'impact-limits:read': { forMembers: true },
  'impact-limits:write': { privileged: true },
} as const satisfies Record<string, ScopeFacts>;

export type Scope = keyof typeof SCOPE_TABLE;
export const SCOPES = Object.keys(SCOPE_TABLE) as Scope[];

export const KEY_PRESETS = ['standard', 'read_only', 'full_access', 'agent'] as const;
export type KeyPreset = (typeof KEY_PRESETS)[number];

const facts = (scope: Scope): ScopeFacts => SCOPE_TABLE[scope];
const isCurrent = (scope: Scope): boolean => facts(scope).earlier !== true;
const isPrivileged = (scope: Scope): boolean => facts(scope).privileged === true;
const OUTSIDE_FULL_ACCESS: readonly Scope[] = ['integrations:read', 'integrations:write', 'messages:ingest'];

/**
 * An agent's key finds and invokes actions and keeps its own state; it changes no action and decides nothing.
 * `events:write` covers topics (docs/identity.md, "Presets"). Explicit: a later scope is granted only by a decision.
 */
const AGENT_SCOPES: Scope[] = [
  'actions:read',
  'actions:invoke',
  'approvals:read',
  'runs:read',
  'runs:write',
  'sessions:read',
  'sessions:write',
  'context:read',
  'cache:read',
  'cache:write',
  'files:read',
  'files:write',
  'events:write',
];

export const PRIVILEGED_SCOPES: ReadonlySet<Scope> = new Set(SCOPES.filter(isPrivileged));

export const PRESET_SCOPES: Record<KeyPreset, Scope[]> = {
  standard: SCOPES.filter((scope) => isCurrent(scope) && !isPrivileged(scope)),
  read_only: SCOPES.filter((scope) => isCurrent(scope) && scope.endsWith(':read')),
  full_access: SCOPES.filter((scope) => isCurrent(scope) && !OUTSIDE_FULL_ACCESS.includes(scope)),
  agent: AGENT_SCOPES,
};

/** What a key made through the API holds when neither a preset nor scopes are named. */
export const DEFAULT_KEY_SCOPES: Scope[] = SCOPES.filter((scope) => !isPrivileged(scope));

/** The least role whose app may hold the scope. API keys are made by admins, and have no role. */
export function leastRoleOf(scope: Scope): Role {
  return facts(scope).forMembers === true ? 'member' : 'admin';
}

export function isScopeForRole(scope: Scope, role: Role): boolean {
  return roleSuffices(role, leastRoleOf(scope));
}

export function scopesForRole(scopes: Iterable<Scope>, role: Role): Scope[] {
  return [...scopes].filter((scope) => isScopeForRole(scope, role));
}

export function isScope(value: string): value is Scope {
  return Object.hasOwn(SCOPE_TABLE, value);
}
