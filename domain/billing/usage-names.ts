import type { Allowance } from '../plans.ts';

/** The members by which days, months and quotas name the allowances, in their order. */
export const USAGE_NAMES = {
  executions: 'executions',
  messages: 'messages',
  egress: 'egressBytes',
  memory_processing: 'memoryOperations',
  notification_emails: 'notificationEmails',
} as const satisfies Record<Allowance, string>;
export type UsageName = (typeof USAGE_NAMES)[Allowance];

export const USAGE_UNITS = {
  executions: 'execution',
  messages: 'message',
  egress: 'byte',
  memory_processing: 'operation',
  notification_emails: 'email',
} as const satisfies Record<Allowance, string>;
