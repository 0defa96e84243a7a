import { describe, expect, it } from 'vitest';
import { hashPassword } from '../../../db/auth/password.ts';
import type { Role } from '../../../domain/roles.ts';
import { CHEAP, createPerson, PASSWORD, type TestPerson } from '../harness/people.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { askDuring, untilWaiting, withOpenTransaction } from '../harness/open-transaction.ts';
import { statusAndCode } from '../invocations/support.ts';

const ACCEPT = '/api/v2/auth/invitations/accept';
const SESSION = '/api/v2/auth/session';

const api = await startTestApi();
const { workspaceId } = api.database.tenant;
const path = `/api/v2/workspaces/${workspaceId}/members`;
const owner = await createPerson(api, 'owner');
const admin = await createPerson(api, 'admin');
const member = await createPerson(api, 'member');

const rolesOf = async (userId: string): Promise<Role[]> =>
  (await api.database.asOwner<{ role: Role }>('SELECT role FROM members WHERE user_id = $1', [userId])).map(
    (row) => row.role,
  );
const dataOf = (reply: CallResult): Record<string, string> => (reply.json as { data: Record<string, string> }).data;
const invite = async (email: string, role: Role = 'member', by = admin): Promise<string> =>
  dataOf(await by.call('POST', path, { body: { email, role } }))['token'] ?? '';
const newEmail = (): string => `new-${Math.random().toString(36).slice(2)}@example.test`;

describe('GET members', () => {
  it('200 for any member: names, roles, no hash', async () => {
    const reply = await member.call('GET', `${path}?limit=100`);
    expect(reply.status).toBe(200);
    const { data } = reply.json as { data: { userId: string; role: string }[] };
    expect(data.map(({ userId, role }) => [userId, role])).toEqual([
      [member.userId, 'member'],
      [admin.userId, 'admin'],
      [owner.userId, 'owner'],
    ]);
    expect(reply.text).not.toContain('scrypt');
    expect(api.replyViolations).toEqual([]);
  });
});

describe('invitations', () => {
  it('201 once with a token, of which the hash is stored; accepted once, by a new user', async () => {
    const email = newEmail();
    const token = await invite(email);
    const rows = await api.database.asOwner<{ row: string }>('SELECT to_jsonb(i)::text AS row FROM invitations i');
    expect(rows.some(({ row }) => row.includes(token))).toBe(false);
    const body = { token, name: 'New Person', password: 'a password long enough' };
    const accepted = await api.call('POST', ACCEPT, { body });
    expect([accepted.status, accepted.json]).toMatchObject([
      200,
      { data: { user: { email, name: 'New Person' }, workspace: { id: workspaceId, role: 'member' } } },
    ]);
    expect(statusAndCode(await api.call('POST', ACCEPT, { body }))).toEqual([404, 'NOT_FOUND']);
    expect((await api.call('POST', SESSION, { body: { email, password: body.password } })).status).toBe(200);
    expect(api.replyViolations).toEqual([]);
  });

  it('is accepted once of four at once', async () => {
    const token = await invite(newEmail());
    const body = { token, name: 'New Person', password: 'a password long enough' };
    const replies = await Promise.all(Array.from({ length: 4 }, () => api.call('POST', ACCEPT, { body })));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    for (const reply of replies) expect([200, 404, 409, 400, 401]).toContain(reply.status);
  });

  it('needs the password of an account that exists: 400 without, 401 with a wrong one', async () => {
    const { development } = await api.database.anotherWorkspace();
    const person = await createPerson(api, 'owner', { workspaceId: development.workspaceId });
    const token = await invite(person.email.toUpperCase(), 'admin');
    expect(statusAndCode(await api.call('POST', ACCEPT, { body: { token } }))).toEqual([400, 'VALIDATION_ERROR']);
    const wrong = await api.call('POST', ACCEPT, { body: { token, password: 'wrong' } });
    expect(statusAndCode(wrong)).toEqual([401, 'AUTHENTICATION_ERROR']);
    expect(await rolesOf(person.userId)).toEqual(['owner']);
    expect((await api.call('POST', ACCEPT, { body: { token, password: PASSWORD } })).status).toBe(200);
    expect((await rolesOf(person.userId)).toSorted()).toEqual(['admin', 'owner']);
  });

  it('400 for a new user without name and long password; 409 for a member; 403 for a member who invites', async () => {
    const token = await invite(newEmail());
    const short = await api.call('POST', ACCEPT, { body: { token, password: 'short' } });
    expect(short.json).toMatchObject({
      error: { details: { issues: [{ path: 'body.name' }, { path: 'body.password' }] } },
    });
    const again = await admin.call('POST', path, { body: { email: member.email.toUpperCase() } });
    expect(statusAndCode(again)).toEqual([409, 'CONFLICT']);
    const refused = await member.call('POST', path, { body: { email: newEmail() } });
    expect(statusAndCode(refused)).toEqual([403, 'AUTHORIZATION_ERROR']);
  });

  it('403 for an admin who invites an owner; an owner may', async () => {
    const body = { email: newEmail(), role: 'owner' };
    expect(statusAndCode(await admin.call('POST', path, { body }))).toEqual([403, 'AUTHORIZATION_ERROR']);
    expect((await owner.call('POST', path, { body })).status).toBe(201);
  });

  it('of an owner is replaced by an owner only: an admin would end it', async () => {
    const email = newEmail();
    const { id } = dataOf(await owner.call('POST', path, { body: { email, role: 'owner' } }));
    const refused = await admin.call('POST', path, { body: { email: email.toUpperCase(), role: 'member' } });
    expect(statusAndCode(refused)).toEqual([403, 'AUTHORIZATION_ERROR']);
    const open = 'SELECT FROM invitations WHERE id = $1 AND revoked_at IS NULL';
    expect(await api.database.asOwner(open, [id])).toHaveLength(1);
    expect((await owner.call('POST', path, { body: { email, role: 'member' } })).status).toBe(201);
    expect(await api.database.asOwner(open, [id])).toHaveLength(0);
  });

  it('ends with another of the same address, with its inviter, and after a week', async () => {
    const email = newEmail();
    const tokens = [await invite(email), await invite(email.toUpperCase())];
    const accept = (token: string | undefined): Promise<CallResult> =>
      api.call('POST', ACCEPT, { body: { token, name: 'N', password: 'short' } });
    expect([(await accept(tokens[0])).status, (await accept(tokens[1])).status]).toEqual([404, 400]);
    const inviter = await createPerson(api, 'admin');
    const token = await invite(newEmail(), 'admin', inviter);
    expect((await owner.call('DELETE', `${path}/${inviter.userId}`)).status).toBe(200);
    expect((await accept(token)).status).toBe(404);
    await api.database.asOwner("UPDATE invitations SET expires_at = now() - interval '1 second'");
    expect((await accept(tokens[1])).status).toBe(404);
  });

  it('ends with the role of its inviter, also when it is made as the role is taken', async () => {
    const inviter = await createPerson(api, 'admin');
    const email = newEmail();
    const [invited, changed] = await withOpenTransaction(
      api.database,
      "SELECT pg_advisory_xact_lock(hashtextextended('invitations/' || $1::text || '/' || lower($2), 0))",
      [workspaceId, email],
      async (commit) => {
        const inviting = inviter.call('POST', path, { body: { email, role: 'admin' } });
        await untilWaiting(api.database, 1);
        const changing = owner.call('PATCH', `${path}/${inviter.userId}`, { body: { role: 'member' } });
        await untilWaiting(api.database, 2);
        await commit();
        return Promise.all([inviting, changing]);
      },
    );
    expect([invited.status, changed.status]).toEqual([201, 200]);
    const body = { token: dataOf(invited)['token'], name: 'N', password: 'a password long enough' };
    expect(statusAndCode(await api.call('POST', ACCEPT, { body }))).toEqual([404, 'NOT_FOUND']);
  });

  it('is not accepted with a password that changes meanwhile', async () => {
    const { development } = await api.database.anotherWorkspace();
    const person = await createPerson(api, 'owner', { workspaceId: development.workspaceId });
    const token = await invite(person.email);
    const accept = (password: string): Promise<CallResult> => api.call('POST', ACCEPT, { body: { token, password } });
    const changed = await hashPassword('another password of theirs', CHEAP);
    const change = 'UPDATE users SET password_hash = $2 WHERE id = $1';
    const former = await askDuring(api.database, [change, [person.userId, changed]], () => accept(PASSWORD));
    expect(statusAndCode(former)).toEqual([401, 'AUTHENTICATION_ERROR']);
    expect(await rolesOf(person.userId)).toEqual(['owner']);
    expect((await accept('another password of theirs')).status).toBe(200);
  });
});

describe('roles', () => {
  const change = (by: TestPerson, of: TestPerson, role: Role): Promise<CallResult> =>
    by.call('PATCH', `${path}/${of.userId}`, { body: { role } });

  it('200: holds on the next request, and is in the audit log', async () => {
    const person = await createPerson(api, 'member');
    expect((await change(person, person, 'admin')).status).toBe(403);
    expect((await change(admin, person, 'admin')).status).toBe(200);
    expect((await change(person, member, 'member')).status).toBe(200);
    const log = await api.database.asOwner('SELECT actor_id, details FROM audit_log WHERE target_id = $1', [
      person.userId,
    ]);
    expect(log).toEqual([{ actor_id: admin.userId, details: { from: 'member', to: 'admin' } }]);
  });

  it('403 for an admin who makes, changes or removes an owner', async () => {
    const replies = [
      await change(admin, member, 'owner'),
      await change(admin, owner, 'member'),
      await admin.call('DELETE', `${path}/${owner.userId}`),
    ];
    expect(replies.map((reply) => reply.status)).toEqual([403, 403, 403]);
    expect([await rolesOf(owner.userId), await rolesOf(member.userId)]).toEqual([['owner'], ['member']]);
  });

  it('409 for the last owner, who stays; also when two owners go at once', async () => {
    expect(statusAndCode(await change(owner, owner, 'admin'))).toEqual([409, 'CONFLICT']);
    expect(statusAndCode(await owner.call('DELETE', `${path}/${owner.userId}`))).toEqual([409, 'CONFLICT']);
    const second = await createPerson(api, 'owner');
    const both = await Promise.all([change(owner, owner, 'admin'), change(second, second, 'admin')]);
    expect(both.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const [still, gone] = both[0].status === 409 ? [owner, second] : [second, owner];
    expect((await change(still, gone, 'owner')).status).toBe(200);
  });

  it('404 for who is no member of this workspace', async () => {
    const { development } = await api.database.anotherWorkspace();
    const person = await createPerson(api, 'member', { workspaceId: development.workspaceId });
    expect([
      (await change(owner, person, 'admin')).status,
      (await owner.call('DELETE', `${path}/${person.userId}`)).status,
    ]).toEqual([404, 404]);
    expect(await rolesOf(person.userId)).toEqual(['member']);
  });
});

describe('DELETE members', () => {
  it('200: ends the sessions of who goes; everyone may leave; a member removes nobody', async () => {
    const [first, second] = [await createPerson(api, 'member'), await createPerson(api, 'member')];
    expect((await first.call('DELETE', `${path}/${second.userId}`)).status).toBe(403);
    expect((await first.call('DELETE', `${path}/${first.userId}`)).status).toBe(200);
    expect((await admin.call('DELETE', `${path}/${second.userId}`)).status).toBe(200);
    for (const person of [first, second]) {
      expect(await rolesOf(person.userId)).toEqual([]);
      expect((await person.call('GET', SESSION)).status).toBe(401);
    }
  });
});
