import { AUDIT_ACTIONS, type AuditAction } from './audit-actions.ts';
import type { Role } from './roles.ts';

/** The kinds of records that the console is told of, by the name of their area: the least role that may read them (docs/console-stream.md). */
export const CONSOLE_TOPICS = {
  actions: 'member',
  'api-keys': 'member',
  approvals: 'member',
  'approval-policies': 'member',
  billing: 'admin',
  budgets: 'member',
  cache: 'member',
  dlq: 'member',
  effects: 'member',
  environments: 'member',
  events: 'member',
  files: 'member',
  'flow-control': 'member',
  'impact-limits': 'member',
  integrations: 'member',
  invocations: 'member',
  members: 'member',
  memory: 'member',
  messages: 'member',
  notifications: 'member',
  runs: 'member',
  schedules: 'member',
  secrets: 'admin',
  sessions: 'member',
  'signing-keys': 'member',
  'url-groups': 'member',
} as const satisfies Record<string, Role>;
export type ConsoleTopic = keyof typeof CONSOLE_TOPICS;

export function isConsoleTopic(value: string): value is ConsoleTopic {
  return Object.hasOwn(CONSOLE_TOPICS, value);
}

/** Is null where no screen but the person's own account shows the change. */
const TOPIC_OF_GROUP: Readonly<Record<keyof typeof AUDIT_ACTIONS, ConsoleTopic | null>> = {
  Environments: 'environments',
  Secrets: 'secrets',
  Actions: 'actions',
  'Effects and invocations': 'effects',
  'Approval policies': 'approval-policies',
  Approvals: 'approvals',
  'Impact limits': 'impact-limits',
  Budgets: 'budgets',
  Billing: 'billing',
  Runs: 'runs',
  Sessions: 'sessions',
  'Flow control': 'flow-control',
  Messages: 'messages',
  'Dead letters': 'dlq',
  'URL groups': 'url-groups',
  Schedules: 'schedules',
  Events: 'events',
  Memory: 'memory',
  Cache: 'cache',
  Files: 'files',
  Integrations: 'integrations',
  Notifications: 'notifications',
  Members: 'members',
  'API keys': 'api-keys',
  'Connected apps': null,
  Accounts: null,
  Workspaces: 'signing-keys',
};

const TOPIC_OF_ACTION: ReadonlyMap<string, ConsoleTopic | null> = new Map(
  Object.entries(AUDIT_ACTIONS).flatMap(([group, actions]) =>
    Object.keys(actions).map((action) => [action, TOPIC_OF_GROUP[group as keyof typeof AUDIT_ACTIONS]]),
  ),
);

/** What an audited change changes in the console. */
export function topicOfChange(action: AuditAction): ConsoleTopic | null {
  if (action === 'invocation.resolved') return 'invocations';
  if (action === 'workspace.plan_changed') return 'billing';
  return TOPIC_OF_ACTION.get(action) ?? null;
}
