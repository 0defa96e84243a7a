import { expect, test } from 'vitest';
import { decide } from '../../../api/approvals/decide.ts';
import { presentApproval } from '../../../api/approvals/schemas.ts';
import type { Caller } from '../../../api/http/callers.ts';
import { createApiKey, revokeApiKey } from '../../../db/api-keys/api-keys.ts';
import { getApproval } from '../../../db/approvals/queries.ts';
import { openApproval } from '../../../db/approvals/changes.ts';
import { changeRole, createMember, removeMember } from '../../../db/members/members.ts';
import { endGrant } from '../../../db/oauth/grants.ts';
import { newId } from '../../../domain/ids.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { plantGrant } from '../oauth/planted-grant.ts';
import { countRows } from '../harness/count-rows.ts';

/**
 * The decider's rights count when the decision is written, not when the request arrived, because the request may have taken long
 * (a slow body, a wait for another request with its Idempotency-Key).
 */

const DIGEST = `sha256:${'0'.repeat(64)}`;

const database = await createTestDatabase();

const inWorkspace: TestDatabase['db']['withWorkspace'] = (of, work) => database.db.withWorkspace(of, work);

async function approval(over: Partial<Parameters<typeof openApproval>[1]> = {}): Promise<string> {
  const id = newId('approval');
  await database.db.withEnvironment(database.tenant, (tx) =>
    openApproval(tx, {
      id,
      kind: 'free_standing',
      invocationId: null,
      effectId: null,
      previewId: null,
      actionId: null,
      title: 'Deploy',
      summary: 'Deploys version 7.',
      payload: { version: 7 },
      bindingDigest: DIGEST,
      policy: { source: 'caller', id: null, version: null, ruleId: null, reason: 'asked' },
      quorum: 1,
      approversOfAll: [{}],
      preventSelf: true,
      requestedBy: { type: 'api_key', id: 'key_of_somebody_else' },
      expiresAt: new Date(Date.now() + 3_600_000),
      ...over,
    }),
  );
  return id;
}

const common = () => ({
  workspaceId: database.tenant.workspaceId,
  tenant: database.tenant,
  environment: {
    id: database.tenant.environmentId,
    name: 'Development',
    kind: 'development',
    protected: false,
  } as const,
});

async function keyOf(
  expiresAt: Date | null = null,
  createdBy: string | null = null,
): Promise<Caller & { type: 'api_key' }> {
  const { record } = await database.db.withEnvironment(database.tenant, (tx) =>
    createApiKey(tx, { name: 'approver', preset: 'full_access', expiresAt, createdBy }),
  );
  return { type: 'api_key', keyId: record.id, scopes: new Set(record.scopes), preset: null, expiresAt, ...common() };
}

async function adminOf(name: string): Promise<Caller & { type: 'session' }> {
  const { workspaceId } = database.tenant;
  const member = { workspaceId, email: `${name}@example.test`, name, passwordHash: 'none', role: 'admin' } as const;
  const { userId } = await createMember(database.db, member);
  const expiresAt = new Date(Date.now() + 3_600_000);
  const at = new Date();
  return {
    type: 'session',
    userId,
    sessionId: 'ses_1',
    authentication: { method: 'password', at, passwordAt: at, hasPasskey: false },
    requiresSecondFactor: false,
    role: 'admin',
    scopes: new Set(),
    expiresAt,
    ...common(),
  };
}

/** An app that the member has connected. */
async function appOf({ userId }: { userId: string }): Promise<Caller & { type: 'oauth' }> {
  const clientId = 'https://agent.example/client.json';
  const grantId = await plantGrant(database, database.tenant, userId, clientId);
  const expiresAt = new Date(Date.now() + 3_600_000);
  return { type: 'oauth', userId, role: 'admin', scopes: new Set(), grantId, clientId, expiresAt, ...common() };
}

/** The result of the caller's authenticated request now: the status, or the code of the refusal and the rows it left. */
async function decideAs(caller: Caller, on?: string): Promise<string> {
  const actor =
    caller.type === 'api_key'
      ? ({ type: 'api_key', id: caller.keyId } as const)
      : ({ type: 'user', id: caller.userId } as const);
  const approvalId = on ?? (await approval());
  const deciding = { approvalId, decision: 'approve', bindingDigest: DIGEST, note: null } as const;
  try {
    const decided = await database.db.withEnvironment(database.tenant, (tx) =>
      decide(tx, { ...deciding, caller, actor }),
    );
    return decided.status;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const decisions = await countRows(database, 'approval_decisions WHERE approval_id = $1', [approvalId]);
    return `${error.code}, ${decisions} decisions`;
  }
}

test('a key decides, and no more once it is revoked', async () => {
  const key = await keyOf();
  expect(await decideAs(key)).toBe('approved');
  await inWorkspace(database.tenant.workspaceId, (tx) => revokeApiKey(tx, key.keyId));
  expect(await decideAs(key)).toBe('AUTHENTICATION_ERROR, 0 decisions');
});

test('an expired key does not decide', async () => {
  expect(await decideAs(await keyOf(new Date(Date.now() - 1_000)))).toBe('AUTHENTICATION_ERROR, 0 decisions');
});

test('a revocation that is under way is waited for, and found', async () => {
  const key = await keyOf();
  let decided: Promise<string> | undefined;
  await inWorkspace(database.tenant.workspaceId, async (tx) => {
    await revokeApiKey(tx, key.keyId);
    decided = decideAs(key);
    // The request waits for this transaction, so the timing does not matter.
    const waiting = `pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%'`;
    await expect.poll(() => countRows(database, waiting)).toBeGreaterThan(0);
  });
  expect(await decided).toBe('AUTHENTICATION_ERROR, 0 decisions');
});

test('a member decides with the role of now, and no more once removed', async () => {
  const admin = await adminOf('ada');
  expect(await decideAs(admin)).toBe('approved');
  await inWorkspace(database.tenant.workspaceId, (tx) => changeRole(tx, admin.userId, 'member'));
  expect(await decideAs(admin)).toBe('AUTHORIZATION_ERROR, 0 decisions');
  await inWorkspace(database.tenant.workspaceId, (tx) => changeRole(tx, admin.userId, 'admin'));
  await inWorkspace(database.tenant.workspaceId, (tx) => removeMember(tx, admin.userId));
  expect(await decideAs(admin)).toBe('AUTHENTICATION_ERROR, 0 decisions');
});

test('a member and the keys that they made are one person: neither agrees to what the other requested', async () => {
  const admin = await adminOf('grace');
  const [asked, other] = [await keyOf(null, admin.userId), await keyOf(null, admin.userId)];
  const requestedBy = { type: 'api_key', id: asked.keyId };
  const id = await approval({ requestedBy });
  expect(await decideAs(asked, id)).toBe('AUTHORIZATION_ERROR, 0 decisions');
  expect(await decideAs(other, id)).toBe('AUTHORIZATION_ERROR, 0 decisions');
  expect(await decideAs(admin, id)).toBe('AUTHORIZATION_ERROR, 0 decisions');
  expect(await decideAs(admin, await approval({ requestedBy, preventSelf: false }))).toBe('approved');
  expect(await decideAs(await keyOf(), id)).toBe('approved');
});

test('a member and the keys that they made fill a quorum of two with somebody else alone', async () => {
  const admin = await adminOf('lin');
  const [one, two] = [await keyOf(null, admin.userId), await keyOf(null, admin.userId)];
  const id = await approval({ quorum: 2 });
  expect(await decideAs(one, id)).toBe('pending');
  expect(await decideAs(two, id)).toBe('CONFLICT, 1 decisions');
  expect(await decideAs(admin, id)).toBe('CONFLICT, 1 decisions');
  expect(await decideAs(await keyOf(), id)).toBe('approved');
});

test('two of one person at once: one counts', async () => {
  const admin = await adminOf('mo');
  const key = await keyOf(null, admin.userId);
  const id = await approval({ quorum: 2 });
  const outcomes = await Promise.all([decideAs(key, id), decideAs(admin, id)]);
  expect(outcomes.toSorted()).toEqual(['CONFLICT, 1 decisions', 'pending']);
});

test('an agreement of a key that is revoked while others are waited for counts no more', async () => {
  const [leaked, mine, third] = [await keyOf(), await keyOf(), await keyOf()];
  const id = await approval({ quorum: 2 });
  expect(await decideAs(leaked, id)).toBe('pending');
  await inWorkspace(database.tenant.workspaceId, (tx) => revokeApiKey(tx, leaked.keyId));
  expect(await decideAs(mine, id)).toBe('pending');
  const record = await database.db.withEnvironment(database.tenant, (tx) => getApproval(tx, id));
  if (!record) throw new Error('it was opened');
  const place = { pagesUrl: null, environmentId: database.tenant.environmentId };
  expect(presentApproval({ approval: record, preview: null, allowances: [] }, place)).toMatchObject({
    quorum: { required: 2, received: 1 },
    decisions: [
      { actor: { id: leaked.keyId }, stands: false },
      { actor: { id: mine.keyId }, stands: true },
    ],
  });
  expect(await decideAs(third, id)).toBe('approved');
});

test('an agreement through an app that was disconnected counts no more, and its user decides again', async () => {
  const user = await adminOf('eve');
  const [stolen, connectedAgain] = [await appOf(user), await appOf(user)];
  const id = await approval({ quorum: 2 });
  expect(await decideAs(stolen, id)).toBe('pending');
  expect(await decideAs(user, id)).toBe('CONFLICT, 1 decisions');
  expect(await decideAs(connectedAgain, id)).toBe('CONFLICT, 1 decisions');
  await database.db.withUser(user.userId, (tx) => endGrant(tx, stolen.grantId, 'user'));
  expect(await decideAs(await keyOf(), id)).toBe('pending');
  expect(await decideAs(user, id)).toBe('approved');
  const record = await database.db.withEnvironment(database.tenant, (tx) => getApproval(tx, id));
  expect(record?.decisions.map(({ app, stands }) => [app?.connectedAppId, stands])).toEqual([
    [stolen.grantId, false],
    [undefined, true],
    [undefined, true],
  ]);
});

test('a key whose maker was removed decides nothing any more', async () => {
  const admin = await adminOf('noor');
  const key = await keyOf(null, admin.userId);
  await inWorkspace(database.tenant.workspaceId, (tx) => removeMember(tx, admin.userId));
  expect(await decideAs(key)).toBe('AUTHORIZATION_ERROR, 0 decisions');
});
