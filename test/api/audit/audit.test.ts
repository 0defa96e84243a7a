import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { auditEntrySchema } from '../../../api/audit/schemas.ts';
import { verifyAuditChain } from '../../../db/audit/verify-chains.ts';
import { hashPassword } from '../../../db/auth/password.ts';
import { newId } from '../../../domain/ids.ts';
import { memberSession, type MemberSession } from '../harness/member-session.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import type { TestTenants } from '../../harness/database.ts';
import { dataOf } from '../invocations/support.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';

/** Every change writes one entry without a credential, in the transaction of the change. */

const SECRET_VALUE = 'sk_live_never_to_be_seen';

let tenants: TestTenants;
let workspaceId: string;
let admin: MemberSession;
let key: string;
let keyId: string;

const api = await startTestApi();

beforeEach(async () => {
  tenants = await api.database.anotherWorkspace();
  ({ workspaceId } = tenants.development);
  admin = await memberSession(api, workspaceId, 'admin');
  const created = await api.createKey(tenants.development);
  ({ key } = created);
  keyId = created.record.id;
});
checkEachReply(api);

type Entry = z.infer<typeof auditEntrySchema>;
const path = (of = workspaceId): string => `/api/v2/workspaces/${of}/audit`;

function list(query: Record<string, string> = {}, who = admin): Promise<CallResult> {
  return api.call('GET', `${path()}?${new URLSearchParams(query).toString()}`, { headers: who.headers });
}
const entries = async (query: Record<string, string> = {}): Promise<Entry[]> =>
  dataOf(await list(query), z.array(auditEntrySchema));
const call = (method: string, at: string, body?: unknown, headers: Record<string, string> = {}): Promise<CallResult> =>
  api.call(method, at, { key, headers, ...(body === undefined ? {} : { body }) });

const ACTION = { adapter: { type: 'http.request', config: { method: 'POST', url: 'https://example.com/hook' } } };

describe('what is recorded', () => {
  test('a secret that is made, rotated and deleted, by whom and by which request, and never its value', async () => {
    const made = await call('PUT', '/api/v2/secrets/TOKEN', { value: SECRET_VALUE, description: 'for the provider' });
    await call('PUT', '/api/v2/secrets/TOKEN', { value: `${SECRET_VALUE}_2` });
    await call('DELETE', '/api/v2/secrets/TOKEN');
    const recorded = await entries();
    const { id } = (made.json as { data: { id: string } }).data;
    expect(recorded.map(({ action, details }) => ({ action, details })).toReversed()).toEqual([
      { action: 'secret.created', details: { name: 'TOKEN', version: 1 } },
      { action: 'secret.rotated', details: { name: 'TOKEN', version: 2 } },
      { action: 'secret.deleted', details: { name: 'TOKEN' } },
    ]);
    for (const entry of recorded) {
      expect(entry).toMatchObject({
        actor: { type: 'api_key', id: keyId },
        target: { type: 'secret', id },
        environmentId: tenants.development.environmentId,
      });
    }
    expect(recorded.at(-1)?.requestId).toBe(made.headers.get('X-Request-Id'));
    const rows = await api.database.asOwner<{ row: string }>('SELECT audit_log::text AS row FROM audit_log');
    for (const { row } of rows) expect(row).not.toContain(SECRET_VALUE);
  });

  test('an action that is made, changed and archived, with the digest of each version', async () => {
    const made = await call('POST', '/api/v2/actions', { name: 'hook', ...ACTION });
    const { id, currentVersion } = (made.json as { data: { id: string; currentVersion: { digest: string } } }).data;
    await call('PATCH', `/api/v2/actions/${id}`, { name: 'hook-2', timeoutMs: 5_000 });
    await call('DELETE', `/api/v2/actions/${id}`);
    const recorded = (await entries({ target: id })).toReversed();
    expect(recorded).toMatchObject([
      { action: 'action.created', details: { name: 'hook', version: 1, digest: currentVersion.digest } },
      { action: 'action.updated', details: { name: 'hook-2', previousName: 'hook', version: 2 } },
      { action: 'action.archived', details: { name: 'hook-2', version: 2 } },
    ]);
    for (const entry of recorded) expect(entry.actor).toEqual({ type: 'api_key', id: keyId });
  });

  test('nothing where nothing changed: a conflict, a change that alters nothing, a deletion without its confirmation, a replay', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    await call('POST', '/api/v2/actions', { name: 'hook', ...ACTION }, headers);
    await call('POST', '/api/v2/actions', { name: 'hook', ...ACTION }, headers);
    expect((await call('POST', '/api/v2/actions', { name: 'hook', ...ACTION })).status).toBe(409);
    await call('PATCH', '/api/v2/actions/hook', { name: 'hook' });
    const { id } = ((await call('DELETE', '/api/v2/actions/hook')).json as { data: { id: string } }).data;
    await call('DELETE', `/api/v2/actions/${id}`);
    const production = await api.createKey(tenants.production);
    await api.call('PUT', '/api/v2/secrets/KEPT', { key: production.key, body: { value: 'x' } });
    expect((await api.call('DELETE', '/api/v2/secrets/KEPT', { key: production.key })).status).toBe(400);
    expect((await entries()).map((entry) => entry.action).toReversed()).toEqual([
      'action.created',
      'action.archived',
      'secret.created',
    ]);
  });

  test('is one whole chain, however many write at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_value, n) => call('PUT', `/api/v2/secrets/S${n % 5}`, { value: 'x' })),
    );
    for (const reply of replies) expect(reply.status).toBeLessThan(300);
    const recorded = await entries({ limit: '100' });
    expect(recorded.map((entry) => entry.sequence)).toEqual(Array.from({ length: 30 }, (_value, n) => 30 - n));
    for (const [n, entry] of recorded.entries()) expect(entry.previousHash).toBe(recorded[n + 1]?.hash ?? null);
    expect(await verifyAuditChain(api.database.db, workspaceId)).toEqual({ entries: 30, breaks: [] });
  });
});

describe('listing', () => {
  test('200: by actor, action, target, environment and time, in pages', async () => {
    const other = await api.createKey(tenants.staging);
    await call('PUT', '/api/v2/secrets/A', { value: 'x' });
    await api.call('PUT', '/api/v2/secrets/B', { key: other.key, body: { value: 'x' } });
    await call('DELETE', '/api/v2/secrets/A');
    const [deleted, createdB, createdA] = await entries();
    if (!deleted || !createdB || !createdA) throw new Error('three changes leave three entries');
    const sequences = async (query: Record<string, string>): Promise<number[]> =>
      (await entries(query)).map((entry) => entry.sequence);
    expect(await sequences({ actor: keyId })).toEqual([3, 1]);
    expect(await sequences({ action: 'secret.created' })).toEqual([2, 1]);
    expect(await sequences({ target: createdA.target.id })).toEqual([3, 1]);
    expect(await sequences({ environmentId: tenants.staging.environmentId })).toEqual([2]);
    expect(await sequences({ actor: keyId, action: 'secret.created' })).toEqual([1]);
    expect(await sequences({ startDate: createdB.recordedAt })).toEqual([3, 2]);
    expect(await sequences({ endDate: createdB.recordedAt })).toEqual([1]);
    expect(await sequences({ startDate: '2999-01-01T00:00:00Z' })).toEqual([]);
    expect(await sequences({ endDate: '0000-01-01T00:00:00Z' })).toEqual([]);
    const page = await list({ page: '2', limit: '1' });
    expect(page.json).toMatchObject({
      data: [{ sequence: 2 }],
      pagination: { total: 3, totalPages: 3, hasMore: true },
    });
  });

  test.each([
    { startDate: 'yesterday' },
    { environmentId: 'production' },
    { limit: '101' },
    { actor: '' },
    { unexpected: '1' },
  ])('400: %j', async (query) => {
    expect((await list(query as Record<string, string>)).status).toBe(400);
  });
});

describe('sign-ins', () => {
  const PASSWORD = 'a long enough password';

  test('are recorded in every workspace of the user: started, refused and ended, and never a password', async () => {
    const userId = newId('user');
    const email = `${userId.toLowerCase()}@example.com`;
    await api.database.asOwner(`INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, 'One', $3)`, [
      userId,
      email,
      await hashPassword(PASSWORD),
    ]);
    const second = (await api.database.anotherWorkspace()).development.workspaceId;
    for (const of of [workspaceId, second]) {
      await api.database.asOwner(`INSERT INTO members (workspace_id, user_id, role) VALUES ($1, $2, 'admin')`, [
        of,
        userId,
      ]);
    }
    const signIn = (body: unknown): Promise<CallResult> => api.call('POST', '/api/v2/auth/session', { body });
    expect((await signIn({ email, password: `${PASSWORD}!` })).status).toBe(401);
    expect((await signIn({ email: 'nobody@example.com', password: PASSWORD })).status).toBe(401);
    const started = await signIn({ email, password: PASSWORD });
    const { csrfToken } = (started.json as { data: { csrfToken: string } }).data;
    const Cookie = started.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const headers = { Cookie, Origin: api.baseUrl, 'X-CSRF-Token': csrfToken };
    expect((await api.call('DELETE', '/api/v2/auth/session', { headers })).status).toBe(200);

    for (const of of [workspaceId, second]) {
      // The refusal is written after its answer, so its position among the others is not fixed.
      await expect.poll(() => recordedOf(of)).toHaveLength(3);
      const recorded = await recordedOf(of);
      const by = (action: string): unknown => recorded.find((entry) => entry.action === action);
      expect(by('session.refused')).toMatchObject({
        actor_id: null,
        target_id: userId,
        details: { address: expect.any(String) },
      });
      expect(by('session.started')).toMatchObject({ actor_id: userId, details: { address: expect.any(String) } });
      expect(by('session.ended')).toMatchObject({ actor_id: userId, details: {} });
      expect(JSON.stringify(recorded)).not.toContain(PASSWORD);
    }
  });

  const recordedOf = (of: string): Promise<{ action: string }[]> =>
    api.database.asOwner(
      'SELECT action, actor_id, target_id, details FROM audit_log WHERE workspace_id = $1 ORDER BY sequence',
      [of],
    );
});
