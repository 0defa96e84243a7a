import { newId } from '../../domain/ids.ts';
import type { MailSource } from '../../domain/notifications/compose-mail.ts';
import { EMAIL_ATTEMPT_TIMEOUT_MS, type EmailEnd, type EmailStatus } from '../../domain/notifications/emails.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { tryToConsumeAllowance } from '../plans/allowances.ts';

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
    'queue_emails',
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
  if (await tryToConsumeAllowance(tx, 'notification_emails', wanted)) return wanted;
  let taken = 0;
  while (taken < wanted - 1 && (await tryToConsumeAllowance(tx, 'notification_emails', 1))) taken++;
  return taken;
}

export interface EmailWork extends MailSource {
  status: EmailStatus;
  attempts: number;
  /** Until its next attempt; 0 or less: now. */
  dueInMs: number;
}

/** Locks an e-mail, with all that is written in it. */
export async function lockEmail(tx: EnvironmentTransaction, emailId: string): Promise<EmailWork | null> {
  return tx.row<EmailWork>(
    'lock_email',
    `SELECT m.id AS "emailId", m.recipient, m.status, m.attempts,
       (extract(epoch FROM m.next_attempt_at - now()) * 1000)::float8 AS "dueInMs",
       jsonb_build_object('id', n.id, 'type', n.type, 'title', n.title, 'body', n.body,
         'subject', jsonb_build_object('type', n.subject_type, 'id', n.subject_id)) AS notification,
       jsonb_build_object('id', e.id, 'name', e.name) AS environment, w.name AS "workspaceName"
     FROM notification_emails m JOIN notifications n ON n.id = m.notification_id JOIN environments e ON e.id = m.environment_id
       JOIN workspaces w ON w.id = e.workspace_id
     WHERE m.id = ? FOR NO KEY UPDATE OF m`,
    [emailId],
  );
}

/** The claim, which commits before a byte is sent. Returns the number of the attempt. */
export async function claimEmail(tx: EnvironmentTransaction, emailId: string): Promise<number> {
  const rows = await tx.rows<{ attempts: number }>(
    'claim_email',
    `UPDATE notification_emails SET status = 'sending', attempts = attempts + 1,
       next_attempt_at = now() + make_interval(secs => :seconds) WHERE id = :emailId RETURNING attempts`,
    { emailId, seconds: EMAIL_ATTEMPT_TIMEOUT_MS / 1_000 },
  );
  if (rows[0] === undefined) throw new Error(`e-mail ${emailId} is not there`);
  return rows[0].attempts;
}

/** Gives back what was certainly not sent, for another attempt. */
export async function queueAgain(
  tx: EnvironmentTransaction,
  emailId: string,
  { reason, delayMs }: { reason: string; delayMs: number },
): Promise<void> {
  await tx.raw(
    'queue_again',
    `UPDATE notification_emails SET status = 'queued', reason = :reason, next_attempt_at = now() + make_interval(secs => :seconds)
     WHERE id = :emailId`,
    { emailId, reason, seconds: delayMs / 1_000 },
  );
}

export async function endEmail(
  tx: EnvironmentTransaction,
  emailId: string,
  { status, reason }: { status: EmailEnd; reason: string | null },
): Promise<void> {
  await tx.raw(
    'end_email',
    `UPDATE notification_emails SET status = :status, reason = :reason, ended_at = now() WHERE id = :emailId`,
    {
      emailId,
      status,
      reason,
    },
  );
}
