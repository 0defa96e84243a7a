/**
 * All scopes in one table. `privileged`: not granted by default. `earlier`: in a namespace that no preset
 * grants (docs/identity.md, "API keys").
 */
interface ScopeFacts {
  privileged?: true;
  earlier?: true;
}

export const SCOPE_TABLE = {
  'messages:read': { earlier: true },
  'messages:write': { earlier: true },
  'messages:ingest': { privileged: true, earlier: true },
  'schedules:read': { earlier: true },
  'schedules:write': { earlier: true },
  'queues:read': { earlier: true },
  'queues:write': { earlier: true },
  'workflows:read': { earlier: true },
  'workflows:write': { earlier: true },
  'integrations:read': { privileged: true },
  'integrations:write': { privileged: true },
  'logs:read': { earlier: true },
  'dlq:read': { earlier: true },
  'dlq:write': { earlier: true },
  'flow-control:read': { earlier: true },
  'flow-control:write': { earlier: true },
  'url-groups:read': { earlier: true },
  'url-groups:write': { earlier: true },
  'billing:read': {},
  'notifications:read': {},
  'notifications:write': {},
  'notifications:manage': { privileged: true },
  'feedback:write': { earlier: true },
  'analytics:read': {},
  'memory:read': { earlier: true },
  'memory:write': { earlier: true },
  'events:read': {},
  'events:write': {},
  'files:read': {},
  'files:write': {},
  'cache:read': {},
  'cache:write': {},
  'sessions:read': {},
  'sessions:write': {},
  'context:read': {},
  'secrets:read': { privileged: true },
  'secrets:write': { privileged: true },
  'actions:read': {},
  'actions:write': {},
  'actions:invoke': {},
  'actions:govern': { privileged: true },
  'actions:resolve': { privileged: true },
  'approvals:read': {},
  'approvals:write': {},
  'approvals:decide': { privileged: true },
  'budgets:read': { privileged: true },
  'budgets:write': { privileged: true },
  'runs:read': {},
  'runs:write': {},
  'environments:halt': { privileged: true },
  'policies:read': { privileged: true },
  'policies:write': { privileged: true },
  'impact-limits:read': {},
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
 * What an agent's key holds: it finds and invokes actions and keeps its own state. It defines, changes and archives nothing, and
 * decides nothing. The list is explicit: a scope that is added later is granted to agents only by a decision.
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

/** Not granted by default. */
export const PRIVILEGED_SCOPES: ReadonlySet<Scope> = new Set(SCOPES.filter(isPrivileged));

export const PRESET_SCOPES: Record<KeyPreset, Scope[]> = {
  standard: SCOPES.filter((scope) => isCurrent(scope) && !isPrivileged(scope)),
  read_only: SCOPES.filter((scope) => isCurrent(scope) && scope.endsWith(':read')),
  full_access: SCOPES.filter((scope) => isCurrent(scope) && !OUTSIDE_FULL_ACCESS.includes(scope)),
  agent: AGENT_SCOPES,
};

/** What a key made through the API holds when neither a preset nor scopes are named. */
export const DEFAULT_KEY_SCOPES: Scope[] = SCOPES.filter((scope) => !isPrivileged(scope));

export function isScope(value: string): value is Scope {
  return Object.hasOwn(SCOPE_TABLE, value);
}
