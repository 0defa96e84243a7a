import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/database.ts';
import { plantKeys } from '../../harness/keys.ts';
import { createMember } from '../../../db/members/members.ts';
import { plantGrant } from '../../api/oauth/planted-grant.ts';
import { DIGEST, insert, type Values } from '../harness/plant.ts';
import { plantApproval } from './planted-rows.ts';

/** The rules that the database itself enforces on approvals, for any writer. */
const database = await createTestDatabase();
const owner = await database.connectOwner();
await plantKeys(database, database.tenant, ['key_1', 'key_2', 'key_3', 'key_agent']);
const OTHER = `sha256:${'1'.repeat(64)}`;

const plant = (over: Values = {}): Promise<string> =>
  plantApproval(owner, database.tenant, { requested_by: { type: 'api_key', id: 'key_agent' }, ...over });

const decide = (approvalId: string, actorId: string, decision: 'approve' | 'deny' = 'approve', digest = DIGEST) =>
  insert(owner, 'approval_decisions', {
    approval_id: approvalId,
    actor_type: 'api_key',
    actor_id: actorId,
    environment_id: database.tenant.environmentId,
    decision,
    note: decision === 'deny' ? 'no' : null,
    binding_digest: digest,
    authentication: {},
  });
const set = (id: string, change: string) => owner.query(`UPDATE approvals SET ${change} WHERE id = $1`, [id]);
async function statusOf(id: string): Promise<string> {
  const { rows } = await owner.query<{ status: string }>('SELECT status FROM approvals WHERE id = $1', [id]);
  return rows[0]?.status ?? 'gone';
}

describe('a decision', () => {
  test('counts, and the one that fills the quorum approves', async () => {
    const id = await plant();
    await decide(id, 'key_1');
    expect(await statusOf(id)).toBe('pending');
    await expect(decide(id, 'key_1')).rejects.toThrow(/duplicate key/);
    expect(await statusOf(id)).toBe('pending');
    await decide(id, 'key_2');
    expect(await statusOf(id)).toBe('approved');
    await expect(decide(id, 'key_3', 'deny')).rejects.toThrow(/takes no decision/);
  });

  test('that denies ends it, for good', async () => {
    const id = await plant();
    await decide(id, 'key_1');
    await decide(id, 'key_2', 'deny');
    expect(await statusOf(id)).toBe('denied');
    await expect(decide(id, 'key_3')).rejects.toThrow(/takes no decision/);
    await expect(set(id, `status = 'approved'`)).rejects.toThrow(/cannot move from denied to approved/);
  });

  test('on another digest, and one of the requester, are refused', async () => {
    const id = await plant({ quorum: 1 });
    await expect(decide(id, 'key_1', 'approve', OTHER)).rejects.toThrow(/another digest/);
    await expect(decide(id, 'key_agent')).rejects.toThrow(/cannot agree/);
    await decide(await plant({ quorum: 1, prevent_self: false }), 'key_agent');
  });

  test('never changes and never goes', async () => {
    const id = await plant();
    await decide(id, 'key_1');
    const where = `WHERE approval_id = '${id}'`;
    await expect(owner.query(`UPDATE approval_decisions SET decision = 'deny', note = 'x' ${where}`)).rejects.toThrow(
      /append-only/,
    );
    await expect(owner.query(`DELETE FROM approval_decisions ${where}`)).rejects.toThrow(/append-only/);
  });
});

describe('one person', () => {
  const ofPerson = (person: string) =>
    plantKeys(database, database.tenant, [`key_${person}_1`, `key_${person}_2`], person);
  async function member(name: string): Promise<string> {
    const { workspaceId } = database.tenant;
    const { userId } = await createMember(database.db, {
      workspaceId,
      email: `${name}@example.test`,
      name,
      passwordHash: 'none',
      role: 'owner',
    });
    await ofPerson(userId);
    return userId;
  }
  const asUser = (approvalId: string, userId: string, connectedAppId?: string) =>
    insert(owner, 'approval_decisions', {
      approval_id: approvalId,
      actor_type: 'user',
      actor_id: userId,
      environment_id: database.tenant.environmentId,
      decision: 'approve',
      binding_digest: DIGEST,
      authentication: connectedAppId === undefined ? {} : { app: { clientId: 'app', connectedAppId } },
    });

  test('counts once, with a session and two keys', async () => {
    const ada = await member('ada');
    const id = await plant({ quorum: 2 });
    await decide(id, `key_${ada}_1`);
    await expect(decide(id, `key_${ada}_2`)).rejects.toThrow(/decides once/);
    await expect(asUser(id, ada)).rejects.toThrow(/decides once/);
    expect(await statusOf(id)).toBe('pending');
    await decide(id, 'key_1');
    expect(await statusOf(id)).toBe('approved');
  });

  test('agrees to nothing that a key of theirs requested', async () => {
    const grace = await member('grace');
    const id = await plant({ quorum: 1, requested_by: { type: 'api_key', id: `key_${grace}_1` } });
    await expect(decide(id, `key_${grace}_2`)).rejects.toThrow(/cannot agree/);
    await expect(asUser(id, grace)).rejects.toThrow(/cannot agree/);
    const own = await plant({ quorum: 1, requested_by: { type: 'user', id: grace } });
    await expect(decide(own, `key_${grace}_2`)).rejects.toThrow(/cannot agree/);
  });

  test('whose key was revoked counts no more, and may speak again with another one', async () => {
    const lin = await member('lin');
    const id = await plant({ quorum: 2 });
    await decide(id, `key_${lin}_1`);
    await owner.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [`key_${lin}_1`]);
    await decide(id, 'key_1');
    expect(await statusOf(id)).toBe('pending');
    await expect(set(id, `status = 'approved', decided_at = now()`)).rejects.toThrow(/lacks its quorum/);
    await decide(id, `key_${lin}_2`);
    expect(await statusOf(id)).toBe('approved');
  });

  test('whose app was disconnected counts no more, and may speak again in person or through another one', async () => {
    const eve = await member('eve');
    const connectApp = (): Promise<string> => plantGrant(database, database.tenant, eve);
    const end = (grantId: string): Promise<unknown> =>
      owner.query(`UPDATE oauth_grants SET ended_at = now(), ended_by = 'reuse' WHERE id = $1`, [grantId]);
    const [stolen, expired, other] = [await connectApp(), await connectApp(), await connectApp()];
    const [id, done] = [await plant({ quorum: 2 }), await plant({ quorum: 1 })];
    await asUser(id, eve, stolen);
    await asUser(done, eve, stolen);
    await expect(asUser(id, eve)).rejects.toThrow(/decides once/);
    await expect(asUser(id, eve, other)).rejects.toThrow(/decides once/);
    await end(stolen);
    await expect(asUser(await plant(), eve, stolen)).rejects.toThrow(/credential that ended/);
    const { rows } = await owner.query('SELECT standing_approvals($1, $2)::int AS count', [done, DIGEST]);
    expect(rows).toEqual([{ count: 0 }]);
    await decide(id, 'key_1');
    expect(await statusOf(id)).toBe('pending');
    await asUser(id, eve, expired);
    expect(await statusOf(id)).toBe('approved');
    await owner.query(`UPDATE oauth_grants SET expires_at = now() - interval '1 day' WHERE id = $1`, [expired]);
    const late = await plant({ quorum: 2 });
    await asUser(late, eve, expired);
    await decide(late, 'key_1');
    expect(await statusOf(late)).toBe('approved');
    const again = await plant({ quorum: 1 });
    await asUser(again, eve);
    expect(await statusOf(again)).toBe('approved');
  });

  test('who was removed counts no more, nor a key that they made, nor after they came back', async () => {
    const kim = await member('kim');
    await member('another owner');
    const [byKey, bySession] = [await plant({ quorum: 2 }), await plant({ quorum: 2 })];
    await decide(byKey, `key_${kim}_1`);
    await asUser(bySession, kim);
    await owner.query('DELETE FROM members WHERE user_id = $1', [kim]);
    await expect(decide(await plant(), `key_${kim}_2`)).rejects.toThrow(/credential that ended/);
    const { workspaceId } = database.tenant;
    await owner.query(
      `INSERT INTO members (workspace_id, user_id, role, created_at) VALUES ($1, $2, 'admin', now() + interval '1 second')`,
      [workspaceId, kim],
    );
    for (const id of [byKey, bySession]) {
      await decide(id, 'key_1');
      expect(await statusOf(id)).toBe('pending');
    }
  });
});

describe('an approval', () => {
  test.each([
    [`status = 'approved', decided_at = now()`, /lacks its quorum/],
    [`status = 'denied', decided_at = now()`, /nobody denied/],
    [`status = 'consumed', decided_at = now(), consumed_at = now()`, /cannot move from pending to consumed/],
    [`quorum = 1`, /is immutable/],
    [`binding_digest = '${OTHER}'`, /is immutable/],
    [`expires_at = now() + interval '1 year'`, /is immutable/],
    [`approvers = '[]'`, /is immutable/],
    [`reminders_sent = 2, last_reminded_at = now()`, /one at a time/],
  ])('takes no %s', async (change, message) => {
    const id = await plant();
    await decide(id, 'key_1');
    await expect(set(id, change)).rejects.toThrow(message);
    expect(await statusOf(id)).toBe('pending');
  });

  test.each(['expired', 'cancelled', 'invalidated'])('that is %s stays so', async (status) => {
    const id = await plant();
    await set(id, `status = '${status}', decided_at = now()`);
    const all = ['pending', 'approved', 'denied', 'expired', 'cancelled', 'invalidated', 'consumed'];
    for (const other of all.filter((each) => each !== status)) {
      await expect(set(id, `status = '${other}'`), other).rejects.toThrow(/check|cannot move/);
    }
    await expect(decide(id, 'key_1')).rejects.toThrow(/takes no decision/);
    await expect(owner.query('DELETE FROM approvals WHERE id = $1', [id])).rejects.toThrow(/never deleted/);
  });

  test('that is free-standing is never consumed: nothing of the service is sent on it', async () => {
    const id = await plant({ quorum: 1 });
    await decide(id, 'key_1');
    await expect(set(id, `status = 'consumed', consumed_at = now()`)).rejects.toThrow(
      /cannot move from approved to consumed/,
    );
  });
});

test('the application may not write what an approval asks, nor its decisions anew', async () => {
  const id = await plant();
  for (const statement of [
    `UPDATE approvals SET quorum = 1 WHERE id = '${id}'`,
    `DELETE FROM approvals WHERE id = '${id}'`,
    `UPDATE approval_decisions SET note = 'x'`,
    `DELETE FROM approval_decisions`,
  ]) {
    const change = database.db.withEnvironment(database.tenant, (tx) => tx.raw(null, statement, []));
    await expect(change, statement).rejects.toThrow(/permission denied/);
  }
});
