import { ServiceError } from '../../domain/errors.ts';
import { type Allowance, PLAN_TABLE, type PlanName, usageResetsAt } from '../../domain/plans.ts';

const WHAT: Record<Allowance, string> = {
  executions: 'action executions',
  messages: 'messages',
  egress: 'bytes of egress',
  memory_processing: 'memory operations',
  notification_emails: 'notification e-mails',
};

/** A limited allowance, as the workspace's row and the database's clock say. */
export interface UsedUp {
  plan: PlanName;
  allowed: string | null;
  now: Date;
}

/** `left` says how little is left (docs/plans-and-limits.md). */
export function quotaExceeded(
  { plan, allowed, now }: UsedUp,
  allowance: Allowance,
  left = 'all of them are used',
): ServiceError {
  return new ServiceError('QUOTA_EXCEEDED', {
    message:
      `The ${PLAN_TABLE[plan].title} plan includes ${allowed} ${WHAT[allowance]} a month, and ${left}. ` +
      `The allowance begins anew at ${usageResetsAt(now).toISOString()}; a larger plan has more.`,
  });
}
