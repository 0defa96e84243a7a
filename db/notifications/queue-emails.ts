import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { consumeAllowance } from '../plans/consume-allowance.ts';

export interface QueuedEmails {
  /** Their ids. */
  queued: string[];
  /** How many the allowance did not cover. */
  refused: number;
}

/**
 * Queues an e-mail of each notification to each of its recipients, which are distinct. Each counts in the plan's monthly allowance; those
 * that it does not cover are recorded as refused. Call it last in the transaction: the count stays locked until the commit.
 */
export async function queueEmails(
  tx: EnvironmentTransaction,
  notifications: readonly { id: string; recipients: readonly string[] }[],
): Promise<QueuedEmails> {
  const wanted = notifications.flatMap(({ id: notification_id, recipients }) =>
    recipients.map((recipient) => ({ notification_id, recipient })),
  );
  if (wanted.length === 0) return { queued: [], refused: 0 };
  const covered = await takeAllowance(tx, wanted.length);
  const emails = wanted.map((email, index) => ({ ...email, id: newId('notificationEmail'), queued: index < covered }));
  await tx.raw(
    `INSERT INTO notification_emails (id, environment_id, notification_id, recipient, status, reason, ended_at)
     SELECT id, current_environment_id(), notification_id, recipient, CASE WHEN queued THEN 'queued' ELSE 'refused' END,
       CASE WHEN NOT queued THEN 'the monthly allowance of the plan is used up' END, CASE WHEN NOT queued THEN now() END
     FROM json_to_recordset(CAST(:emails AS json)) AS e (id text, notification_id text, recipient text, queued boolean)`,
    { emails: JSON.stringify(emails) },
  );
  return { queued: emails.filter(({ queued }) => queued).map(({ id }) => id), refused: wanted.length - covered };
}

/** How many of these the allowance covers; that many are taken from it. */
async function takeAllowance(tx: EnvironmentTransaction, wanted: number): Promise<number> {
  if (await isTaken(tx, wanted)) return wanted;
  let taken = 0;
  while (taken < wanted - 1 && (await isTaken(tx, 1))) taken++;
  return taken;
}

async function isTaken(tx: EnvironmentTransaction, amount: number): Promise<boolean> {
  try {
    await consumeAllowance(tx, 'notification_emails', amount);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'QUOTA_EXCEEDED') return false;
    throw error;
  }
}
