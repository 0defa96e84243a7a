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
