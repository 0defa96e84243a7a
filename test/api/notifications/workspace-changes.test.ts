import { afterAll, describe, expect, test, vi } from 'vitest';
import type { Tenant } from '../../../db/client.ts';
import { startMailbox } from '../../harness/mail/test-mailbox.ts';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { createPerson } from '../harness/people.ts';
import { errorOf } from '../invocations/support.ts';
import { startDestination } from '../messages/support.ts';
import { rotationPath } from '../signing-keys/support.ts';
import { notificationsIn } from './support.ts';

/** What is the whole workspace's: who changes it, and who hears of the change. */
const PREFERENCES = '/api/v2/notifications/preferences';
const ON_CALL = 'on-call@customer.example';
const OTHER = 'other@customer.example';

const [mailbox, destination] = await Promise.all([startMailbox(), startDestination()]);
const service = await startTestService({ relay: true, smtp: mailbox.settings });
const tenants = service.database.tenants;
const owner = await createPerson(service, 'owner');
const admin = await createPerson(service, 'admin');
const member = await createPerson(service, 'member');
afterAll(async () => {
  await mailbox?.close();
});

const toldOf = async (tenant: Tenant, type: string): Promise<ReturnType<typeof notificationsIn>> => {
  const headers = { 'X-Environment-Id': tenant.environmentId };
  return notificationsIn(await admin.call('GET', `/api/v2/notifications?type=${type}`, { headers }));
};

const mailed = (words: string): { to: string; text: string }[] =>
  mailbox.mails.filter(({ text }) => text.includes(words));

describe('the rotation of signing keys', { timeout: TEST_TIMEOUT_MS }, () => {
  test('is refused to a key and to a member, at the former path too, in words that say who may and where', async () => {
    const path = rotationPath(tenants.development);
    for (const tenant of [tenants.staging, tenants.development]) {
      const { key } = await service.createKey(tenant);
      const now = await service.call('POST', path, { key, body: {} });
      expect([now.status, errorOf(now).message]).toEqual([403, expect.stringContaining('role admin or owner')]);
      for (const body of [{}, { gracePeriodSeconds: 0 }, { unknown: 1 }]) {
        const former = await service.call('POST', '/api/v2/signing-keys/rotate', { key, body });
        expect([former.status, errorOf(former).code]).toEqual([403, 'AUTHORIZATION_ERROR']);
        expect(errorOf(former).message).toContain('/api/v2/workspaces/{workspaceId}/signing-keys/rotate');
      }
    }
    const unknown = await service.call('POST', '/api/v2/signing-keys/rotate', { key: 'key_wrong', body: {} });
    expect(unknown.status).toBe(401);
    expect((await member.call('POST', path, { body: {} })).status).toBe(403);
    expect(await service.database.asOwner('SELECT 1 FROM signing_keys')).toEqual([]);
  });

  test('is told of in each environment, and by one e-mail to every admin and recipient, with the id of the key', async () => {
    await admin.call('PATCH', PREFERENCES, {
      headers: { 'X-Environment-Id': tenants.development.environmentId },
      body: { emailRecipients: [ON_CALL, owner.email.toUpperCase()] },
    });
    const reply = await admin.call('POST', rotationPath(tenants.development), { body: {} });
    expect(reply.status, reply.text).toBe(201);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const { id, secret } = (reply.json as { data: { id: string; secret: string } }).data;
    await vi.waitFor(
      async () => {
        for (const tenant of [tenants.development, tenants.staging, tenants.production]) {
          const told = await toldOf(tenant, 'signing_key.rotated');
          expect(told).toMatchObject([{ subject: { type: 'signing_key', id } }]);
          expect(told[0]?.body).toContain(admin.userId);
        }
        const recipients = mailed('signing key of the workspace was rotated').map(({ to }) => to.toLowerCase());
        expect(recipients.toSorted()).toEqual([ON_CALL, owner.email, admin.email].toSorted());
      },
      { timeout: PATIENCE_MS },
    );
    for (const { text } of mailed('signing key of the workspace was rotated')) {
      expect(text).toContain(id);
      expect(text).not.toContain(secret.slice(6));
    }
  });
});

describe('a change of the notification channels by a key of one environment', { timeout: TEST_TIMEOUT_MS }, () => {
  test('is told of to the admins, the removed recipient and the former webhook, without an address or a path', async () => {
    const { key } = await service.createKey(tenants.staging);
    const change = async (body: object): Promise<void> => {
      const reply = await service.call('PATCH', PREFERENCES, { key, body });
      expect(reply.status, reply.text).toBe(200);
    };
    await change({ alertWebhookUrl: `${destination.baseUrl}/former`, emailRecipients: [ON_CALL] });
    await vi.waitFor(() => expect(mailed('added: 0, removed: 1')).toHaveLength(3), { timeout: PATIENCE_MS });
    const before = (await toldOf(tenants.production, 'notification_preferences.updated')).length;

    await change({ alertWebhookUrl: `${destination.baseUrl}/thief`, emailRecipients: [OTHER] });
    await vi.waitFor(
      async () => {
        expect(
          mailed('added: 1, removed: 1')
            .map(({ to }) => to)
            .toSorted(),
        ).toEqual([ON_CALL, OTHER, owner.email, admin.email].toSorted());
        const kinds = (path: string): unknown[] =>
          destination.on(path).map(({ body }) => (JSON.parse(body) as { type: string }).type);
        // The former one hears of both changes: of the one that set it, and of the one that removed it.
        expect(kinds('/former')).toEqual(Array(2).fill('notification_preferences.updated'));
        expect(kinds('/thief')).toEqual(['notification_preferences.updated']);
      },
      { timeout: PATIENCE_MS },
    );
    for (const { text, to } of mailed('added: 1, removed: 1')) {
      expect(text).toMatch(/The API key \S+, in the environment \S+, changed them/);
      expect(text).not.toContain('/thief');
      expect(text).not.toContain(to === OTHER ? ON_CALL : OTHER);
    }
    const told = await toldOf(tenants.production, 'notification_preferences.updated');
    expect(told).toHaveLength(before + 1);
    // The same values change nothing and notify nobody.
    await change({ emailRecipients: [OTHER] });
    const raised = await service.database.asOwner('SELECT 1 FROM raised_events');
    expect(raised).toEqual([]);
  });
});
