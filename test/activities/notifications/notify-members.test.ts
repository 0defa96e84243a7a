import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { relayEvents } from '../../../activities/events/relay-events.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { nextReminderMs } from '../../../domain/approvals/reminders.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { newId } from '../../../domain/ids.ts';
import { type NotificationSettings, putSettings, readSettings } from '../../../db/notifications/settings.ts';
import { TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { plantRaised } from '../../db/events/plant-raised.ts';
import { ActivityWorld } from '../invocations/world.ts';

/** Each event that people are told of is counted once, and tells the alert webhook once, whatever dies in between. */
const world = await ActivityWorld.start();
await world.database.asOwner('INSERT INTO notification_settings (workspace_id, alert_webhook_url) VALUES ($1, $2)', [
  world.database.tenant.workspaceId,
  'https://alerts.example/hook',
]);
beforeEach(() => world.database.asOwner('TRUNCATE raised_events, notifications, messages, lane_queue CASCADE'));

const effect = (number: number) => ({ id: `eff_${number}`, invocation_id: `inv_${number}` });

/** Puts events into the outbox, all of one moment. */
const raise = (type: string, rows: readonly JsonObject[], at = '2026-11-22T10:15:00Z'): Promise<void> =>
  plantRaised(
    world.database,
    rows.map((columns) => ({ type, columns, at })),
  );

interface Told {
  type: string;
  count: number;
  subject_id: string;
  title: string;
}

const told = () =>
  world.database.asOwner<Told>('SELECT type, count, subject_id, title FROM notifications ORDER BY coalesce_key');
/** Each is ready in its lane, also while the environment is halted. */
const alerts = () =>
  world.database.asOwner(
    `SELECT m.id FROM messages m JOIN lane_queue q ON q.message_id = m.id WHERE m.kind = 'alert' AND q.state = 'ready' AND q.ignores_halt`,
  );

describe('events that people are told of', { timeout: TEST_TIMEOUT_MS }, () => {
  test('are one notification and one alert each; all others are none', async () => {
    await raise('effect.unknown', [effect(1), effect(2)]);
    await raise('effect.settled', [effect(1)]);
    await relayEvents(world.dependencies());
    await relayEvents(world.dependencies());
    expect((await told()).map(({ subject_id, count }) => [subject_id, count])).toEqual([
      ['eff_1', 1],
      ['eff_2', 1],
    ]);
    expect(await alerts()).toHaveLength(2);
  });

  test('a thousand dead letters of an hour are one notification and one alert, and the next hour is another', async () => {
    const failed = Array.from({ length: 1_000 }, (_, number) => ({ id: `msg_${number}` }));
    await raise('message.failed', failed);
    await raise('message.failed', failed.slice(0, 3), '2026-11-22T11:00:00Z');
    await relayEvents(world.dependencies());
    expect((await told()).map(({ count }) => count)).toEqual([1_000, 3]);
    expect(await alerts()).toHaveLength(2);
  });

  test('tell a webhook and a recipient that are set later of the next one of their hour, once', async () => {
    const failing = async (deps: ActivityDependencies): Promise<{ alerts: number; mails: string[] }> => {
      await raise('message.failed', [{ id: newId('message') }]);
      await relayEvents(deps);
      const mails = await world.database.asOwner<{ recipient: string }>(
        'SELECT recipient FROM notification_emails ORDER BY recipient',
      );
      return { alerts: (await alerts()).length, mails: mails.map(({ recipient }) => recipient) };
    };
    const set = (settings: Partial<NotificationSettings>) =>
      world.database.db.withEnvironment(world.database.tenant, async (tx) =>
        putSettings(tx, { ...(await readSettings(tx)), ...settings }),
      );
    onTestFinished(() => set({ alertWebhookUrl: 'https://alerts.example/hook', emailRecipients: [] }));
    const deps = world.dependencies({ sendEmail: () => Promise.resolve() });
    await set({ alertWebhookUrl: null });
    expect(await failing(deps)).toEqual({ alerts: 0, mails: [] });
    await set({ alertWebhookUrl: 'https://alerts.example/first', emailRecipients: ['a@agents.example'] });
    expect(await failing(deps)).toEqual({ alerts: 1, mails: ['a@agents.example'] });
    expect(await failing(deps)).toEqual({ alerts: 1, mails: ['a@agents.example'] });
    const both = ['a@agents.example', 'b@agents.example'];
    await set({ alertWebhookUrl: 'https://alerts.example/second', emailRecipients: both });
    expect(await failing(deps)).toEqual({ alerts: 2, mails: both });
    await set({ emailRecipients: both });
    expect(await failing(deps)).toEqual({ alerts: 2, mails: both });
    expect((await told()).map(({ count }) => count)).toEqual([5]);
  });

  test('relayed by several processes at once, are counted once', async () => {
    await raise(
      'message.failed',
      Array.from({ length: 250 }, (_, number) => ({ id: `msg_${number}` })),
    );
    await raise(
      'effect.unknown',
      Array.from({ length: 50 }, (_, number) => effect(number)),
    );
    await Promise.all(Array.from({ length: 4 }, () => relayEvents(world.dependencies())));
    const counts = (await told()).map(({ count }) => count).toSorted((a, b) => b - a);
    expect(counts).toEqual([250, ...Array.from({ length: 50 }, () => 1)]);
    expect(await alerts()).toHaveLength(counts.length);
  });
});

describe('a crash', { timeout: TEST_TIMEOUT_MS }, () => {
  const died = (when: 'before' | 'after') => {
    const { db } = world.database;
    const real = db.withEnvironment.bind(db);
    vi.spyOn(db, 'withEnvironment').mockImplementationOnce(async (tenant, work) => {
      const worked = await real(tenant, async (tx) => {
        const result = await work(tx);
        if (when === 'before') throw new Error('died before the commit');
        return result;
      });
      if (when === 'after') throw new Error('died after the commit');
      return worked;
    });
  };

  test('before the commit leaves nothing, and the event is told of by the next relay', async () => {
    await raise('effect.exhausted', [effect(1), effect(2)]);
    died('before');
    await relayEvents(world.dependencies());
    expect((await told()).map(({ count }) => count)).toEqual([1, 1]);
    expect(await alerts()).toHaveLength(2);
  });

  test('after the commit leaves all of it, the alert in its lane, and the next relay adds nothing', async () => {
    await raise('effect.exhausted', [effect(1)]);
    died('after');
    await relayEvents(world.dependencies());
    await relayEvents(world.dependencies());
    expect((await told()).map(({ count }) => count)).toEqual([1]);
    expect(await alerts()).toHaveLength(1);
  });
});

test('an approval is said to be about to expire with its last reminder, once', async () => {
  const [approvalId, createdAtMs] = [newId('approval'), Date.now()];
  const times = { createdAtMs, expiresAtMs: createdAtMs + 3_600_000 };
  await world.database.asOwner(
    `INSERT INTO approvals (id, environment_id, kind, title, summary, payload, binding_digest, source, reason, quorum, approvers,
       prevent_self, requested_by, created_at, expires_at)
     VALUES ($1, $2, 'free_standing', 'Send the newsletter', 'To 1,204 people.', '{}', $3, 'caller', 'It asked.', 1, '[{}]', true, $4, $5, $6)`,
    [
      approvalId,
      world.database.tenant.environmentId,
      `sha256:${'a'.repeat(64)}`,
      JSON.stringify({ type: 'api_key', id: 'key_test' }),
      new Date(createdAtMs),
      new Date(times.expiresAtMs),
    ],
  );
  const { remindApproval } = world.activities();
  const ref = { ...world.database.tenant, approvalId, invocationId: null };
  for (let reminder = 1; ; reminder++) {
    const at = nextReminderMs({ ...times, remindersSent: reminder - 1 });
    if (at === null) break;
    await remindApproval({ ...ref, at: new Date(at).toISOString(), reminder });
    await remindApproval({ ...ref, at: new Date(at).toISOString(), reminder });
    await relayEvents(world.dependencies());
    const isLast = nextReminderMs({ ...times, remindersSent: reminder }) === null;
    const expiring = (await told()).filter(({ type }) => type === 'approval.expiring');
    expect(expiring).toEqual(
      isLast
        ? [
            {
              type: 'approval.expiring',
              count: 1,
              subject_id: approvalId,
              title: 'Approval about to expire: Send the newsletter',
            },
          ]
        : [],
    );
  }
});
