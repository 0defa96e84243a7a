import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { environmentSchema } from '../../../api/environments/schemas.ts';
import type { Tenant, WorkspaceTransaction } from '../../../db/client.ts';
import { createEnvironment } from '../../../db/environments/environments.ts';
import { memberSession, type MemberSession } from '../harness/member-session.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';
import { countRows } from '../harness/count-rows.ts';

/** Environments of a workspace, a test for each status, with the database checked after. */

let tenant: Tenant;
let workspaceId: string;
let admin: MemberSession;
let member: MemberSession;

const api = await startTestApi();

/** Each test has a workspace of its own. */
beforeEach(async () => {
  ({ development: tenant } = await api.database.anotherWorkspace());
  ({ workspaceId } = tenant);
  admin = await memberSession(api, workspaceId, 'admin');
  member = await memberSession(api, workspaceId, 'member');
});
checkEachReply(api);

const at = (path = '', of = workspaceId): string => `/api/v2/workspaces/${of}/environments${path}`;
const as = (who: MemberSession, method: string, path: string, body?: unknown): Promise<CallResult> =>
  api.call(method, path, { headers: who.headers, ...(body === undefined ? {} : { body }) });
const environmentIn = (reply: CallResult): z.infer<typeof environmentSchema> => dataOf(reply, environmentSchema);

async function rowOf(id: string): Promise<Record<string, unknown> | undefined> {
  const rows = await api.database.asOwner<Record<string, unknown>>('SELECT * FROM environments WHERE id = $1', [id]);
  return rows[0];
}

async function auditOf(action: string): Promise<{ actor_id: string; details: unknown; environment_id: string }[]> {
  return api.database.asOwner(
    'SELECT actor_type, actor_id, details, environment_id, target_id FROM audit_log WHERE workspace_id = $1 AND action = $2 ORDER BY sequence',
    [workspaceId, action],
  );
}

/** Resolves once a transaction waits for another one's lock on a row of `workspaces`. */
async function waitsForLock(): Promise<void> {
  const waiting = `pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM workspaces%'`;
  await expect.poll(() => countRows(api.database, waiting)).toBeGreaterThan(0);
}

const setPlan = (plan: string): Promise<unknown> =>
  api.database.asOwner('UPDATE workspaces SET plan = $2 WHERE id = $1', [workspaceId, plan]);

describe('listing and getting', () => {
  test('200: a member reads every environment of the workspace, newest first, and no other workspace’s', async () => {
    const created = environmentIn(await as(admin, 'POST', at(), { name: 'QA', kind: 'staging' }));
    const reply = await as(member, 'GET', at());
    expect(reply.status).toBe(200);
    const listed = dataOf(reply, z.array(environmentSchema));
    expect(listed[0]).toEqual(created);
    expect(listed.map((item) => item.name).toSorted()).toEqual(['Development', 'Production', 'QA', 'Staging']);
    expect(reply.json).toMatchObject({ pagination: { total: 4 } });
    expect(environmentIn(await as(member, 'GET', at(`/${created.id}`)))).toEqual(created);
  });

  test('400: what is no UUID', async () => {
    expect((await as(admin, 'GET', at('/production'))).status).toBe(400);
  });
});

describe('creating', () => {
  test('201: with the defaults of its kind, stored and recorded', async () => {
    const reply = await as(admin, 'POST', at(), { name: 'Live', kind: 'production' });
    expect(reply.status).toBe(201);
    const created = environmentIn(reply);
    expect(created).toMatchObject({
      name: 'Live',
      kind: 'production',
      protected: true,
      approvalDefault: null,
      haltedAt: null,
    });
    expect(await rowOf(created.id)).toMatchObject({
      workspace_id: workspaceId,
      protected: true,
      approval_default: null,
    });
    expect(await auditOf('environment.created')).toEqual([
      {
        actor_type: 'user',
        actor_id: admin.userId,
        environment_id: created.id,
        target_id: created.id,
        details: { name: 'Live', kind: 'production', protected: true, approvalDefault: null },
      },
    ]);
  });

  test('201: what is named counts, and a key of it works', async () => {
    const body = { name: 'QA', kind: 'development', protected: true, approvalDefault: 'require_approval' };
    const created = environmentIn(await as(admin, 'POST', at(), body));
    expect(created).toMatchObject(body);
    const { key } = await api.createKey({ workspaceId, environmentId: created.id });
    expect((await api.call('GET', '/api/v2/auth/identity', { key })).json).toMatchObject({
      data: { environment: { id: created.id, name: 'QA' } },
    });
  });

  test('409: a name that is taken, and nothing is recorded', async () => {
    const reply = await as(admin, 'POST', at(), { name: 'Staging', kind: 'staging' });
    expect([reply.status, errorOf(reply).code]).toEqual([409, 'CONFLICT']);
    expect(await auditOf('environment.created')).toEqual([]);
  });

  test.each([
    [{ kind: 'staging' }, 'body.name'],
    [{ name: ' ', kind: 'staging' }, 'body.name'],
    [{ name: 'x'.repeat(101), kind: 'staging' }, 'body.name'],
    [{ name: 'QA' }, 'body.kind'],
    [{ name: 'QA', kind: 'test' }, 'body.kind'],
    [{ name: 'QA', kind: 'staging', approvalDefault: 'deny' }, 'body.approvalDefault'],
    [{ name: 'QA', kind: 'staging', haltedAt: null }, 'body.haltedAt'],
  ])('400: %j', async (body, path) => {
    const reply = await as(admin, 'POST', at(), body);
    expect(reply.json).toMatchObject({ error: { details: { issues: [{ path }] } } });
  });

  test('429 QUOTA_EXCEEDED: at the plan’s total, which a larger plan lifts', async () => {
    await setPlan('growth'); // 3 in total, and the workspace has them
    const refused = await as(admin, 'POST', at(), { name: 'QA', kind: 'staging' });
    expect([refused.status, errorOf(refused).code]).toEqual([429, 'QUOTA_EXCEEDED']);
    await setPlan('enterprise');
    expect((await as(admin, 'POST', at(), { name: 'QA', kind: 'staging' })).status).toBe(201);
  });

  test('429: an environment that is made at the same time counts, also before it is committed', async () => {
    await setPlan('early_beta_access');
    await api.database.asOwner(`DELETE FROM environments WHERE workspace_id = $1 AND kind = 'staging'`, [workspaceId]);
    const make = (tx: WorkspaceTransaction, name: string): Promise<unknown> =>
      createEnvironment(tx, { workspaceId, name, kind: 'staging', protected: false, approvalDefault: null });
    const { db } = api.database;
    let second: Promise<unknown> = Promise.resolve();
    await db.withWorkspace(workspaceId, async (tx) => {
      await make(tx, 'first');
      second = db.withWorkspace(workspaceId, (other) => make(other, 'second'));
      const ended = await Promise.race([
        second.then(
          () => 'made',
          () => 'refused',
        ),
        waitsForLock().then(() => 'waits'),
      ]);
      expect(ended).toBe('waits');
    });
    await expect(second).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });

  test('429: of eight at once no more pass than the plan has room for', async () => {
    await setPlan('early_beta_access');
    await api.database.asOwner(`DELETE FROM environments WHERE workspace_id = $1 AND kind = 'staging'`, [workspaceId]);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_value, n) => as(admin, 'POST', at(), { name: `At once ${n}`, kind: 'staging' })),
    );
    const withStatus = (status: number): number => replies.filter((reply) => reply.status === status).length;
    expect([withStatus(201), withStatus(429)]).toEqual([1, 7]);
    const rows = await api.database.asOwner('SELECT id FROM environments WHERE workspace_id = $1', [workspaceId]);
    expect(rows).toHaveLength(3);
  });
});

describe('changing', () => {
  test('200: name, protection and approval default; what is left out stays; the change is recorded, before and after', async () => {
    const path = at(`/${tenant.environmentId}`);
    const body = { name: 'Sandbox', protected: true, approvalDefault: 'require_approval' };
    expect(environmentIn(await as(admin, 'PATCH', path, body))).toMatchObject({ ...body, kind: 'development' });
    expect(environmentIn(await as(admin, 'PATCH', path, { approvalDefault: null }))).toMatchObject({
      ...body,
      approvalDefault: null,
    });
    expect(await rowOf(tenant.environmentId)).toMatchObject({
      name: 'Sandbox',
      protected: true,
      approval_default: null,
    });
    expect((await auditOf('environment.updated')).map((entry) => entry.details)).toEqual([
      { before: { name: 'Development', protected: false, approvalDefault: null }, after: body },
      { before: { approvalDefault: 'require_approval' }, after: { approvalDefault: null } },
    ]);
  });

  test('200: what alters nothing leaves no entry', async () => {
    expect((await as(admin, 'PATCH', at(`/${tenant.environmentId}`), {})).status).toBe(200);
    expect((await as(admin, 'PATCH', at(`/${tenant.environmentId}`), { name: 'Development' })).status).toBe(200);
    expect(await auditOf('environment.updated')).toEqual([]);
  });

  test('protection holds on the next request of another API process, which has seen the key before', async () => {
    const second = await startTestApi({ database: api.database });
    const { key } = await api.createKey(tenant);
    await second.call('PUT', '/api/v2/secrets/TOKEN', { key, body: { value: 'x' } });
    await as(admin, 'PATCH', at(`/${tenant.environmentId}`), { protected: true });
    expect((await second.call('DELETE', '/api/v2/secrets/TOKEN', { key })).status).toBe(400);
    await second.close();
  });

  test('400: the kind is fixed; 409: a name that is taken; 403: a member; 404: another workspace’s', async () => {
    const path = at(`/${tenant.environmentId}`);
    expect((await as(admin, 'PATCH', path, { kind: 'production' })).json).toMatchObject({
      error: { details: { issues: [{ path: 'body.kind' }] } },
    });
    expect((await as(admin, 'PATCH', path, { name: 'Staging' })).status).toBe(409);
    expect((await as(member, 'PATCH', path, { name: 'Other' })).status).toBe(403);
    const other = (await api.database.anotherWorkspace()).development;
    expect((await as(admin, 'PATCH', at(`/${other.environmentId}`), { name: 'Mine' })).status).toBe(404);
    expect(await rowOf(other.environmentId)).toMatchObject({ name: 'Development' });
    expect(await rowOf(tenant.environmentId)).toMatchObject({ name: 'Development', kind: 'development' });
  });
});

describe('halting and resuming', () => {
  const halt = (id = tenant.environmentId): string => at(`/${id}/halt`);
  const resume = (id = tenant.environmentId): string => at(`/${id}/resume`);

  test('200: an admin halts any environment of the workspace, with the reason, and resumes it', async () => {
    const reply = await as(admin, 'POST', halt(), { reason: 'the provider is down' });
    expect(reply.status).toBe(200);
    const halted = environmentIn(reply);
    expect(halted).toMatchObject({ haltedReason: 'the provider is down', haltedAt: expect.any(String) });
    expect(await rowOf(tenant.environmentId)).toMatchObject({ halted_by: { type: 'user', id: admin.userId } });
    expect(environmentIn(await as(member, 'GET', at(`/${tenant.environmentId}`)))).toEqual(halted);
    const resumed = environmentIn(await as(admin, 'POST', resume()));
    expect(resumed).toMatchObject({ haltedReason: null, haltedAt: null });
    expect(await rowOf(tenant.environmentId)).toMatchObject({ halted_at: null, halted_reason: null, halted_by: null });
    expect(await auditOf('environment.halted')).toMatchObject([
      { actor_id: admin.userId, details: { reason: 'the provider is down' }, environment_id: tenant.environmentId },
    ]);
    expect(await auditOf('environment.resumed')).toMatchObject([{ actor_id: admin.userId, details: {} }]);
  });

  test('200: halting what is halted keeps the first moment and reason; resuming what runs changes nothing', async () => {
    const first = environmentIn(await as(admin, 'POST', halt(), { reason: 'first' }));
    expect(environmentIn(await as(admin, 'POST', halt(), { reason: 'second' }))).toEqual(first);
    expect(await auditOf('environment.halted')).toHaveLength(1);
    await as(admin, 'POST', resume());
    expect((await as(admin, 'POST', resume())).status).toBe(200);
    expect(await auditOf('environment.resumed')).toHaveLength(1);
  });

  test('200: an API key with environments:halt halts and resumes its own environment', async () => {
    const { key, record } = await api.createKey(tenant, { scopes: ['environments:halt'] });
    const halted = await api.call('POST', halt(), { key, body: { reason: 'the agent went astray' } });
    expect(environmentIn(halted)).toMatchObject({ id: tenant.environmentId, haltedReason: 'the agent went astray' });
    expect(await rowOf(tenant.environmentId)).toMatchObject({ halted_by: { type: 'api_key', id: record.id } });
    expect(await auditOf('environment.halted')).toMatchObject([{ actor_type: 'api_key', actor_id: record.id }]);
    expect(environmentIn(await api.call('POST', resume(), { key }))).toMatchObject({ haltedAt: null });
  });

  test('404: to an API key every other environment, of its workspace and of others; nothing is halted', async () => {
    const { key } = await api.createKey(tenant);
    const { development: other } = await api.database.anotherWorkspace();
    const rows = await api.database.asOwner<{ id: string }>(
      `SELECT id FROM environments WHERE workspace_id = $1 AND kind = 'staging'`,
      [workspaceId],
    );
    const sibling = rows[0]?.id ?? '';
    const paths = [
      halt(sibling),
      at(`/${other.environmentId}/halt`, other.workspaceId),
      at(`/${tenant.environmentId}/halt`, other.workspaceId),
      at(`/${other.environmentId}/halt`),
    ];
    for (const path of paths) {
      const reply = await api.call('POST', path, { key, body: { reason: 'x' } });
      expect([path, reply.status, errorOf(reply).code]).toEqual([path, 404, 'NOT_FOUND']);
    }
    const halted = await api.database.asOwner(
      'SELECT id FROM environments WHERE halted_at IS NOT NULL AND id = ANY ($1)',
      [[sibling, other.environmentId, tenant.environmentId]],
    );
    expect(halted).toEqual([]);
  });

  test('404: to an admin an environment of another workspace, under whichever workspace it is named', async () => {
    const { development: other } = await api.database.anotherWorkspace();
    for (const path of [
      halt(other.environmentId),
      at(`/${other.environmentId}/halt`, other.workspaceId),
      at(`/${tenant.environmentId}/halt`, other.workspaceId),
    ]) {
      expect([path, (await as(admin, 'POST', path, { reason: 'x' })).status]).toEqual([path, 404]);
    }
    expect(await rowOf(other.environmentId)).toMatchObject({ halted_at: null });
  });

  test.each([[{}], [{ reason: '' }], [{ reason: ' ' }], [{ reason: 'x'.repeat(501) }], [{ reason: 1 }]])(
    '400: %j',
    async (body) => {
      expect((await as(admin, 'POST', halt(), body)).json).toMatchObject({
        error: { details: { issues: [{ path: 'body.reason' }] } },
      });
    },
  );

  test('400: what is no UUID in the path, to a key and to a session', async () => {
    const { key } = await api.createKey(tenant);
    for (const path of [at('/production/halt'), at(`/${tenant.environmentId}/halt`, 'mine')]) {
      expect((await api.call('POST', path, { key, body: { reason: 'x' } })).status).toBe(400);
      expect((await as(admin, 'POST', path, { reason: 'x' })).status).toBe(400);
    }
  });
});
