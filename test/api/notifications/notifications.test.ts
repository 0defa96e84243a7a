import { describe, expect, test, vi } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import type { CallResult } from '../harness/test-api.ts';
import { startDestination, statusOf } from '../messages/support.ts';
import { errorOf } from '../invocations/support.ts';
import { rotatedSecret } from '../signing-keys/support.ts';
import { notificationsIn, raise } from './support.ts';

/** Marks and mutes belong to one reader; a repeated event is unread again; alerts are signed messages. */
const ROOT = '/api/v2/notifications';
const [service, destination] = await Promise.all([startTestService({ relay: true }), startDestination()]);
const [alice, bob] = await Promise.all([createPerson(service, 'admin'), createPerson(service, 'member')]);

function as(person: TestPerson, method: string, path: string, body?: unknown): Promise<CallResult> {
  const headers = { 'X-Environment-Id': service.database.tenant.environmentId };
  return person.call(method, `${ROOT}${path}`, { headers, ...(body === undefined ? {} : { body }) });
}

async function seenBy(person: TestPerson, query = ''): Promise<string[]> {
  return notificationsIn(await as(person, 'GET', `?limit=100${query}`)).map(({ id }) => id);
}

async function unreadOf(person: TestPerson): Promise<number> {
  return ((await as(person, 'GET', '/unread-count')).json as { data: { unread: number } }).data.unread;
}

async function raised(overrides: Parameters<typeof raise>[1] = {}): Promise<string> {
  const id = await raise(service, overrides);
  if (id === null) throw new Error('it is new');
  return id;
}

describe('a reader', () => {
  test('reads and deletes for themselves alone, an API key too', async () => {
    const [first, second] = [await raised(), await raised()];
    const read = await as(alice, 'PATCH', `/${first}/read`);
    const { readAt } = (read.json as { data: { readAt: string } }).data;
    expect(readAt).not.toBeNull();
    expect((await as(alice, 'PATCH', `/${first}/read`)).json).toMatchObject({ data: { readAt } });
    expect(await seenBy(alice, '&unread=false')).toEqual([first]);
    expect(await seenBy(bob, '&unread=false')).toEqual([]);
    expect((await as(bob, 'DELETE', `/${second}`)).status).toBe(200);
    expect((await as(bob, 'DELETE', `/${second}`)).status).toBe(404);
    expect((await as(bob, 'PATCH', `/${second}/read`)).status).toBe(404);
    expect(await seenBy(bob)).not.toContain(second);
    expect(await seenBy(alice)).toContain(second);
    const ofKey = notificationsIn(await service.get(`${ROOT}?unread=true`)).map(({ id }) => id);
    expect(ofKey).toEqual(expect.arrayContaining([first, second]));
    const all = await as(alice, 'PATCH', '/read-all');
    expect((all.json as { data: { read: number } }).data.read).toBeGreaterThanOrEqual(1);
    expect(await unreadOf(alice)).toBe(0);
    expect(await unreadOf(bob)).toBeGreaterThan(0);
  });

  test('has it unread, and back in the list, when it happens again', async () => {
    const again = { coalesceKey: 'message.failed in this hour' };
    const id = await raised(again);
    await as(alice, 'PATCH', `/${id}/read`);
    await as(bob, 'DELETE', `/${id}`);
    expect(await raise(service, again)).toBeNull();
    const [seen] = notificationsIn(await as(alice, 'GET', ''));
    expect(seen).toMatchObject({ id, count: 2, readAt: null });
    expect(await seenBy(bob)).toContain(id);
  });

  test('who mutes a type does not see it, and everybody else does', async () => {
    const own = await as(bob, 'PATCH', '/preferences/me', { mutedTypes: ['environment.halted', 'environment.halted'] });
    expect(own.json).toMatchObject({ data: { mutedTypes: ['environment.halted'] } });
    const halted = { type: 'environment.halted' as const };
    const before = [await unreadOf(alice), await unreadOf(bob)];
    const id = await raised(halted);
    expect([await unreadOf(alice), await unreadOf(bob)]).toEqual([(before[0] ?? 0) + 1, before[1]]);
    expect(await seenBy(bob, '&type=environment.halted')).toEqual([]);
    expect(await seenBy(alice, '&type=environment.halted')).toEqual([id]);
    await as(bob, 'PATCH', '/read-all');
    expect((await as(bob, 'PATCH', '/preferences/me', { mutedTypes: [] })).status).toBe(200);
    // What was muted was not read meanwhile.
    expect(await seenBy(bob, '&unread=true')).toEqual([id]);
  });

  test('sees the page of an approval', async () => {
    const id = await raised({ type: 'approval.requested', subject: { type: 'approval', id: 'apr_1' } });
    const [seen] = notificationsIn(await as(alice, 'GET', '?type=approval.requested'));
    const { environmentId } = service.database.tenant;
    expect(seen).toMatchObject({
      id,
      url: `https://runtime.example.com/console/environments/${environmentId}/approvals/apr_1`,
    });
  });
});

describe('the alert webhook', () => {
  test('gets a signed test alert, also while the environment is halted, and what a member has muted', async () => {
    await as(bob, 'PATCH', '/preferences/me', { mutedTypes: ['environment.halted'] });
    const none = await as(alice, 'POST', '/preferences/test-webhook');
    expect([none.status, errorOf(none).code]).toEqual([409, 'CONFLICT']);
    const secret = await rotatedSecret(service, 0);
    const alertWebhookUrl = `${destination.baseUrl}/alerts`;
    expect((await as(alice, 'PATCH', '/preferences', { alertWebhookUrl })).json).toMatchObject({
      data: { alertWebhookUrl },
    });
    const { workspaceId, environmentId } = service.database.tenant;
    const environment = `/api/v2/workspaces/${workspaceId}/environments/${environmentId}`;
    expect((await service.post(`${environment}/halt`, { reason: 'A test.' })).status).toBe(200);
    const tested = await as(alice, 'POST', '/preferences/test-webhook');
    expect(tested.status, tested.text).toBe(201);
    const { messageId } = (tested.json as { data: { messageId: string } }).data;
    await vi.waitFor(async () => expect(await statusOf(service, messageId)).toBe('delivered'), {
      timeout: PATIENCE_MS,
    });
    const verified = () =>
      destination.on('/alerts').map(({ headers, body }) => {
        const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
        return new Webhook(secret).verify(body, texts) as { type: string };
      });
    expect(verified().find(({ type }) => type === 'test')).toEqual({
      type: 'test',
      title: 'A test alert',
      body: 'Somebody tries the alert webhook.',
      subject: { type: 'environment', id: environmentId },
      url: null,
      environmentId,
    });
    // The halt also notified the webhook and alice, but not bob, who has muted it.
    await vi.waitFor(() => expect(verified().map(({ type }) => type)).toContain('environment.halted'), {
      timeout: PATIENCE_MS,
    });
    const [halted] = notificationsIn(await as(alice, 'GET', '?type=environment.halted'));
    expect(halted).toMatchObject({ count: 1, body: expect.stringContaining('A test.') as string });
    expect(await seenBy(bob)).not.toContain(halted?.id);
    expect((await service.post(`${environment}/resume`, {})).status).toBe(200);
  });

  test('is told once of a failure of its own: the alert is a dead letter, which raises no further alert', async () => {
    const alertWebhookUrl = `${destination.baseUrl}/gone`;
    destination.answer('/gone', { status: 410 });
    await as(alice, 'PATCH', '/preferences', { alertWebhookUrl });
    const tested = await as(alice, 'POST', '/preferences/test-webhook');
    const { messageId } = (tested.json as { data: { messageId: string } }).data;
    await vi.waitFor(async () => expect(await statusOf(service, messageId)).toBe('failed'), { timeout: PATIENCE_MS });
    const [{ raised: told } = { raised: -1 }] = await service.database.asOwner<{ raised: number }>(
      `SELECT (SELECT count(*) FROM raised_events WHERE row_id = $1)::int
         + (SELECT count(*) FROM notifications WHERE subject_id = $1)::int AS raised`,
      [messageId],
    );
    expect(told).toBe(0);
  });
});
