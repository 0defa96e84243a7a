import { beforeEach, describe, expect, it } from 'vitest';
import type { Tenant } from '../../../db/client.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { createPerson, type TestPerson } from '../harness/people.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { confirm, enrol, type Enrolled, granted } from './support.ts';

const api = await startTestApi();

let tenant: Tenant;
let workspaceId: string;
let environmentPath: string;
let admin: TestPerson;

/** Each test has a workspace of its own, whose development environment is protected. */
beforeEach(async () => {
  ({ development: tenant } = await api.database.anotherWorkspace());
  ({ workspaceId } = tenant);
  environmentPath = `/api/v2/workspaces/${workspaceId}/environments/${tenant.environmentId}`;
  await set({ protected: true });
  admin = await createPerson(api, 'admin', { workspaceId });
});

async function set(flags: { protected?: boolean; require_second_factor?: boolean }): Promise<void> {
  for (const [column, value] of Object.entries(flags)) {
    await api.database.asOwner(`UPDATE environments SET ${column} = $2 WHERE id = $1`, [tenant.environmentId, value]);
  }
}

async function withPasskey(minutesAgo: number): Promise<Enrolled> {
  const enrolled = await enrol(admin);
  const past = 'UPDATE sign_in_sessions SET second_factor_at = now() - make_interval(mins => $2) WHERE id = $1';
  await api.database.asOwner(past, [admin.sessionId, minutesAgo]);
  return enrolled;
}

const asMember = (method: string, path: string, body: unknown = {}): Promise<CallResult> =>
  admin.call(method, path, { body, headers: { 'X-Environment-Id': tenant.environmentId } });

async function openApproval(): Promise<{ id: string; bindingDigest: string }> {
  const { key } = await api.createKey(tenant);
  const body = { title: 'Ship', summary: 'Ships it.', payload: { version: 1 } };
  return granted(await api.call('POST', '/api/v2/approvals', { key, body })) as { id: string; bindingDigest: string };
}

async function approve(): Promise<CallResult> {
  const { id, bindingDigest } = await openApproval();
  return asMember('POST', `/api/v2/approvals/${id}/approve`, { bindingDigest });
}

const refusalOf = ({ status, json }: CallResult) => {
  const { error } = json as { error?: { code: string; message: string; details?: { step: string } } };
  return [status, error?.code, error?.details?.step];
};
const CONFIRM_FIRST = [403, 'SECOND_FACTOR_REQUIRED', 'confirm'];

describe('in a protected environment, who has a passkey', () => {
  it('decides within five minutes, and the decision and its audit entry say how they were authenticated', async () => {
    await withPasskey(4);
    const approval = granted(await approve()) as { decisions: { authentication: object }[] };
    const authentication = { method: 'passkey', at: expect.any(String) as string };
    expect(approval.decisions[0]?.authentication).toMatchObject(authentication);
    await api.database.asOwner(`UPDATE workspaces SET plan = 'enterprise' WHERE id = $1`, [workspaceId]);
    const audit = await admin.call('GET', `/api/v2/workspaces/${workspaceId}/audit?action=approval.approved`);
    expect(granted(audit) as object[]).toMatchObject([{ authentication }]);
    expect(api.replyViolations).toEqual([]);
  });

  it.each<[string, () => Promise<CallResult>]>([
    ['approving', approve],
    ['denying', async () => asMember('POST', `/api/v2/approvals/${(await openApproval()).id}/deny`, { note: 'No.' })],
    ['resolving an effect', () => asMember('POST', '/api/v2/actions/effects/eff_none/resolve')],
    ['resolving an invocation', () => asMember('POST', '/api/v2/actions/invocations/inv_none/resolve')],
    ['replaying an effect', () => asMember('POST', '/api/v2/actions/effects/eff_none/replay')],
    ['halting', () => asMember('POST', `${environmentPath}/halt`, { reason: 'Fire' })],
    ['resuming', () => asMember('POST', `${environmentPath}/resume`)],
    ['making a key', () => makeKey()],
    ['linking a chat', () => admin.call('POST', `${environmentPath}/chat-links`, { body: { code: 'A'.repeat(26) } })],
    ['taking the protection away', () => asMember('PATCH', environmentPath, { protected: false })],
  ])('is asked for it again after five minutes: %s', async (_, act) => {
    const { device } = await withPasskey(6);
    const refused = await act();
    expect(refusalOf(refused)).toEqual(CONFIRM_FIRST);
    expect(refused.text).toMatch(/Confirm with your passkey, then send this again/);
    expect((await confirm(admin, device)).status).toBe(200);
    expect(refusalOf(await act())[1]).not.toBe('SECOND_FACTOR_REQUIRED');
  });

  it('is asked for it after a recovery code too', async () => {
    await withPasskey(0);
    await api.database.asOwner(`UPDATE sign_in_sessions SET second_factor = 'recovery_code' WHERE id = $1`, [
      admin.sessionId,
    ]);
    expect(refusalOf(await approve())).toEqual(CONFIRM_FIRST);
  });

  it('reads, and renames the environment, without it', async () => {
    await withPasskey(6);
    expect((await asMember('PATCH', environmentPath, { name: 'Renamed' })).status).toBe(200);
    expect((await admin.call('GET', environmentPath)).status).toBe(200);
  });
});

const makeKey = (): Promise<CallResult> =>
  admin.call('POST', `/api/v2/workspaces/${workspaceId}/api-keys`, {
    body: { name: 'ci', environmentId: tenant.environmentId },
  });

describe('nobody is asked for a passkey', () => {
  it('who has none', async () => {
    const approval = granted(await approve()) as { decisions: { authentication: object }[] };
    expect(approval.decisions[0]?.authentication).toMatchObject({
      method: 'password',
      sessionId: admin.sessionId,
      at: expect.any(String) as string,
    });
    expect((await makeKey()).status).toBe(201);
  });

  it('where the environment is not protected', async () => {
    await set({ protected: false });
    await withPasskey(6);
    expect((await approve()).status).toBe(200);
    expect((await makeKey()).status).toBe(201);
  });

  it('with an API key', async () => {
    await set({ require_second_factor: true });
    const { key } = await api.createKey(tenant, { scopes: SCOPES });
    const { id, bindingDigest } = await openApproval();
    const reply = await api.call('POST', `/api/v2/approvals/${id}/approve`, { key, body: { bindingDigest } });
    const { decisions } = granted(reply) as { decisions: { authentication: object; at: string }[] };
    expect(decisions[0]?.authentication).toMatchObject({ method: 'api_key', at: decisions[0]?.at });
  });
});

describe('an environment with requireSecondFactor', () => {
  it('is made by an admin, and says so', async () => {
    const member = await createPerson(api, 'member', { workspaceId });
    const body = { requireSecondFactor: true };
    expect((await member.call('PATCH', environmentPath, { body })).status).toBe(403);
    expect(granted(await admin.call('PATCH', environmentPath, { body }))).toMatchObject(body);
    expect(granted(await member.call('GET', environmentPath))).toMatchObject(body);
    expect(api.replyViolations).toEqual([]);
  });

  it('refuses who has no passkey, with words that say to enrol one, also to take the requirement away', async () => {
    await set({ protected: false, require_second_factor: true });
    for (const reply of [
      await approve(),
      await makeKey(),
      await asMember('POST', `${environmentPath}/halt`, { reason: 'Fire' }),
      await asMember('PATCH', environmentPath, { requireSecondFactor: false }),
    ]) {
      expect(refusalOf(reply)).toEqual([403, 'SECOND_FACTOR_REQUIRED', 'enrol']);
      expect(reply.text).toMatch(/you have none\. Enrol one/);
    }
    await enrol(admin);
    expect((await approve()).status).toBe(200);
    expect((await asMember('PATCH', environmentPath, { requireSecondFactor: false })).status).toBe(200);
  });
});
