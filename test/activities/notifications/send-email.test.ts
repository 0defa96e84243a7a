import { describe, expect, test } from 'vitest';
import { queueEmails } from '../../../db/notifications/emails.ts';
import { newId } from '../../../domain/ids.ts';
import { EMAIL_RETRY_DELAYS_SECONDS, type EmailRef } from '../../../domain/notifications/emails.ts';
import type { Mail, Mailer, MailResult } from '../../../domain/notifications/mailer.ts';
import { TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { ActivityWorld } from '../invocations/world.ts';

/** An e-mail is sent again only where the mail server certainly did not take it, whatever dies in between. */
const world = await ActivityWorld.start();

const RECIPIENT = 'ops@customer.example';

async function notification(): Promise<string> {
  const id = newId('notification');
  await world.database.asOwner(
    `INSERT INTO notifications (id, environment_id, type, title, body, subject_type, subject_id, coalesce_key)
     VALUES ($1, $2, 'effect.exhausted', 'Still unknown', 'Find out.', 'effect', 'eff_1', $1)`,
    [id, world.database.tenant.environmentId],
  );
  return id;
}

async function queued(): Promise<EmailRef> {
  const id = await notification();
  const { queued: emailIds } = await world.transaction((tx) => queueEmails(tx, [{ id, recipients: [RECIPIENT] }]));
  return { ...world.database.tenant, emailId: emailIds[0] ?? '' };
}

/** Answers these results in turn, then that it took the mail. */
function mailerThat(...results: (MailResult | Promise<MailResult>)[]): Mailer & { sent: Mail[] } {
  const sent: Mail[] = [];
  return {
    sent,
    send: (mail) => {
      sent.push(mail);
      return Promise.resolve(results.shift() ?? { kind: 'accepted' });
    },
  };
}

async function rowOf({ emailId }: EmailRef): Promise<{ status: string; attempts: number; reason: string | null }> {
  const [row] = await world.database.asOwner<{ status: string; attempts: number; reason: string | null }>(
    'SELECT status, attempts, reason FROM notification_emails WHERE id = $1',
    [emailId],
  );
  if (row === undefined) throw new Error('there is no such e-mail');
  return row;
}

describe('an e-mail', { timeout: TEST_TIMEOUT_MS }, () => {
  test('is sent once: a further visit sends nothing', async () => {
    const ref = await queued();
    const mailer = mailerThat();
    const { sendNotificationEmail } = world.activities({ mailer });
    expect(await sendNotificationEmail(ref)).toEqual({ next: 'end', status: 'sent' });
    expect(await sendNotificationEmail(ref)).toEqual({ next: 'end', status: 'sent' });
    expect(mailer.sent).toEqual([
      expect.objectContaining({
        id: ref.emailId,
        to: RECIPIENT,
        subject: expect.stringContaining('Still unknown') as string,
      }),
    ]);
  });

  test('that the server defers is tried again when it is due, and has failed after the last attempt', async () => {
    const ref = await queued();
    const deferred: MailResult = { kind: 'deferred', reason: 'later' };
    const mailer = mailerThat(...Array.from({ length: 20 }, () => deferred));
    const { sendNotificationEmail } = world.activities({ mailer });
    for (const [index, seconds] of EMAIL_RETRY_DELAYS_SECONDS.entries()) {
      expect(await sendNotificationEmail(ref)).toEqual({ next: 'wait', delayMs: seconds * 1_000 });
      expect(await sendNotificationEmail(ref)).toMatchObject({ next: 'wait' });
      expect(mailer.sent).toHaveLength(index + 1);
      await world.database.asOwner(
        `SET session_replication_role = 'replica'; UPDATE notification_emails SET next_attempt_at = now()`,
      );
    }
    expect(await sendNotificationEmail(ref)).toEqual({ next: 'end', status: 'failed' });
    expect(await rowOf(ref)).toEqual({ status: 'failed', attempts: mailer.sent.length, reason: 'later' });
  });

  test.each([
    [{ kind: 'rejected', reason: 'no' }, 'failed'],
    [{ kind: 'unknown', reason: 'who knows' }, 'unknown'],
  ] as const)('with the result %j ends, and is not sent again', async (result, status) => {
    const ref = await queued();
    const mailer = mailerThat(result);
    const { sendNotificationEmail } = world.activities({ mailer });
    expect(await sendNotificationEmail(ref)).toEqual({ next: 'end', status });
    expect(await sendNotificationEmail(ref)).toEqual({ next: 'end', status });
    expect(mailer.sent).toHaveLength(1);
    expect(await rowOf(ref)).toEqual({ status, attempts: 1, reason: result.reason });
  });

  test('of a service without a mail server fails, and says so', async () => {
    const ref = await queued();
    expect(await world.activities({ mailer: null }).sendNotificationEmail(ref)).toEqual({
      next: 'end',
      status: 'failed',
    });
    expect((await rowOf(ref)).reason).toContain('SMTP_ADDRESS');
  });
});

describe('a worker that is lost', { timeout: TEST_TIMEOUT_MS }, () => {
  test('before the claim has committed: nothing was sent, and the next visit sends', async () => {
    const ref = await queued();
    const mailer = mailerThat();
    await expect(world.losing(['before_commit'], { mailer }).sendNotificationEmail(ref)).rejects.toThrow(/terminat/i);
    expect(mailer.sent).toEqual([]);
    expect(await world.activities({ mailer }).sendNotificationEmail(ref)).toEqual({ next: 'end', status: 'sent' });
    expect(mailer.sent).toHaveLength(1);
  });

  test.each([
    ['after the claim and before the first byte', ['after_commit'], 0],
    ['after the answer and before it is on record', [null, 'before_commit'], 1],
  ] as const)('%s: it is unknown, and is not sent again', async (_, losses, sent) => {
    const ref = await queued();
    const mailer = mailerThat();
    await expect(world.losing(losses, { mailer }).sendNotificationEmail(ref)).rejects.toThrow(/terminat/i);
    expect(await world.activities({ mailer }).sendNotificationEmail(ref)).toEqual({ next: 'end', status: 'unknown' });
    expect(mailer.sent).toHaveLength(sent);
  });

  test('and comes back with its answer: the answer says what was unknown', async () => {
    const ref = await queued();
    let answer: (result: MailResult) => void = () => undefined;
    const mailer = mailerThat(new Promise((resolve) => (answer = resolve)));
    const { sendNotificationEmail } = world.activities({ mailer });
    const late = sendNotificationEmail(ref);
    await expect.poll(async () => (await rowOf(ref)).status).toBe('sending');
    expect(await sendNotificationEmail(ref)).toEqual({ next: 'end', status: 'unknown' });
    answer({ kind: 'accepted' });
    expect(await late).toEqual({ next: 'end', status: 'sent' });
    expect(await rowOf(ref)).toMatchObject({ status: 'sent', attempts: 1 });
    expect(mailer.sent).toHaveLength(1);
  });
});

test('the allowance of the month covers so many and no more; the rest is refused, and stays so', async () => {
  const { workspaceId } = world.database.tenant;
  await world.database.asOwner(`UPDATE workspaces SET plan = 'early_beta_access' WHERE id = $1`, [workspaceId]);
  await world.database.asOwner(
    `INSERT INTO monthly_usage AS u (workspace_id, month, allowance, shard, used)
     VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 'notification_emails', 0, 498)
     ON CONFLICT (workspace_id, month, allowance, shard) DO UPDATE SET used = 498`,
    [workspaceId],
  );
  await world.database.asOwner(`DELETE FROM monthly_usage WHERE allowance = 'notification_emails' AND shard <> 0`);
  const ids = [await notification(), await notification()];
  const recipients = [RECIPIENT, 'second@customer.example'];
  const emails = await world.transaction((tx) =>
    queueEmails(
      tx,
      ids.map((id) => ({ id, recipients })),
    ),
  );
  expect([emails.queued.length, emails.refused]).toEqual([2, 2]);
  const [counted] = await world.database.asOwner<{ used: string }>(
    `SELECT sum(used)::text AS used FROM monthly_usage WHERE allowance = 'notification_emails'`,
  );
  expect(counted).toEqual({ used: '500' });
  const [refused] = await world.database.asOwner<{ id: string }>(
    `SELECT id FROM notification_emails WHERE status = 'refused'`,
  );
  await expect(
    world.database.asOwner(`UPDATE notification_emails SET status = 'queued', ended_at = NULL WHERE id = $1`, [
      refused?.id,
    ]),
  ).rejects.toThrow(/cannot move from refused to queued/);
  const mailer = mailerThat();
  const ref = { ...world.database.tenant, emailId: refused?.id ?? '' };
  expect(await world.activities({ mailer }).sendNotificationEmail(ref)).toEqual({ next: 'end', status: 'refused' });
  expect(mailer.sent).toEqual([]);
});
