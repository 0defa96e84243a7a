import { describe, expect, test } from 'vitest';
import { listAudit } from '../../../db/audit/list-audit.ts';
import { recordAudit } from '../../../db/audit/record-audit.ts';
import { type AuditChainState, verifyAuditChain } from '../../../db/audit/verify-chains.ts';
import type { Database, Tenant } from '../../../db/client.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { withoutTriggers } from '../harness/plant.ts';

/** One chain of entries for each workspace, which cannot be changed or shortened unnoticed. */

const database = await createTestDatabase();
const owner = await database.connectOwner();

function append(tenant: Tenant, what: string): Promise<void> {
  return database.db.withWorkspace(tenant.workspaceId, (tx) =>
    recordAudit(tx, {
      workspaceId: tenant.workspaceId,
      environmentId: tenant.environmentId,
      actor: { type: 'user', id: 'usr_1' },
      action: 'secret.rotated',
      target: { type: 'thing', id: what },
      details: { ключ: ['ü', 1.5, null] },
      requestId: 'req_1',
    }),
  );
}

function stateOf(tenant: Tenant): Promise<AuditChainState> {
  return verifyAuditChain(database.db, tenant.workspaceId);
}

/** A workspace with that many entries in its log. */
async function workspaceWith(entries: number): Promise<Tenant> {
  const { development: tenant } = await database.anotherWorkspace();
  for (let n = 1; n <= entries; n++) await append(tenant, `thing ${n}`);
  return tenant;
}

/** Changes the log past the triggers, as only the superuser can. */
function tamper(sql: string, tenant: Tenant): Promise<unknown> {
  return withoutTriggers(owner, () => owner.query(sql.replaceAll('$W', `'${tenant.workspaceId}'`)));
}

describe('the chain of a workspace’s audit log', () => {
  test('holds from the first entry to the last, in order, and is whole where there is none yet', async () => {
    expect(await stateOf(await workspaceWith(0))).toEqual({ entries: 0, breaks: [] });
    const tenant = await workspaceWith(4);
    const { items } = await database.db.withWorkspace(tenant.workspaceId, (tx) =>
      listAudit(tx, { limit: 10, offset: 0 }),
    );
    expect(items.map((entry) => entry.sequence)).toEqual([4, 3, 2, 1]);
    expect(items.at(-1)?.previousHash).toBeNull();
    expect(items[0]?.previousHash).toBe(items[1]?.hash);
    for (const entry of items) expect(entry.hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await stateOf(tenant)).toEqual({ entries: 4, breaks: [] });
  });

  test('has one writer at a time: twenty at once make one unbroken chain', async () => {
    const tenant = await workspaceWith(0);
    await Promise.all(Array.from({ length: 20 }, (_value, n) => append(tenant, `at once ${n}`)));
    expect(await stateOf(tenant)).toEqual({ entries: 20, breaks: [] });
  });

  test('leaves no gap where a change was rolled back', async () => {
    const tenant = await workspaceWith(1);
    const undone = database.db.withWorkspace(tenant.workspaceId, async (tx) => {
      await recordAudit(tx, {
        workspaceId: tenant.workspaceId,
        actor: { type: 'system', id: null },
        action: 'secret.deleted',
        target: { type: 'thing', id: '1' },
      });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await append(tenant, 'after');
    expect(await stateOf(tenant)).toEqual({ entries: 2, breaks: [] });
  });

  test.each([
    ['actor', `actor_id = 'usr_2'`],
    ['kind of actor', `actor_type = 'system'`],
    ['action', `action = 'thing.kept'`],
    ['target', `target_id = 'another'`],
    ['kind of target', `target_type = 'another'`],
    ['environment', 'environment_id = NULL'],
    ['details', `details = '{}'`],
    ['request', 'request_id = NULL'],
    ['time', `recorded_at = recorded_at + interval '1 ms'`],
    ['hash', `hash = 'sha256:' || repeat('0', 64)`],
    ['previous hash', 'previous_hash = NULL'],
    ['id', `id = 'aud_another' || id`],
  ])('shows an entry whose %s was changed', async (_what, assignment) => {
    const tenant = await workspaceWith(3);
    await tamper(`UPDATE audit_log SET ${assignment} WHERE workspace_id = $W AND sequence = 2`, tenant);
    expect((await stateOf(tenant)).breaks).toContainEqual({ sequence: 2, kind: 'content' });
  });

  test('shows an entry that was changed and hashed again by the one that follows', async () => {
    const tenant = await workspaceWith(3);
    await tamper(`UPDATE audit_log SET actor_id = 'usr_2' WHERE workspace_id = $W AND sequence = 2`, tenant);
    await tamper(`UPDATE audit_log a SET hash = audit_hash(a) WHERE workspace_id = $W AND sequence = 2`, tenant);
    expect((await stateOf(tenant)).breaks).toEqual([{ sequence: 3, kind: 'link' }]);
  });

  test.each([
    ['in the middle', 'sequence = 2', [{ sequence: 3, kind: 'link' }]],
    [
      'at the beginning',
      'sequence = 1',
      [
        { sequence: 2, kind: 'link' },
        { sequence: 3, kind: 'link' },
      ],
    ],
    ['at the end', 'sequence = 3', [{ sequence: 2, kind: 'end' }]],
    ['everywhere', 'sequence > 0', [{ sequence: 0, kind: 'end' }]],
  ])('shows an entry that was removed %s', async (_where, condition, breaks) => {
    const tenant = await workspaceWith(3);
    await tamper(`DELETE FROM audit_log WHERE workspace_id = $W AND ${condition}`, tenant);
    expect((await stateOf(tenant)).breaks).toEqual(breaks);
  });

  test('shows two entries that changed places', async () => {
    const tenant = await workspaceWith(4);
    await tamper(`UPDATE audit_log SET sequence = -sequence WHERE workspace_id = $W AND sequence IN (2, 3)`, tenant);
    await tamper(`UPDATE audit_log SET sequence = sequence + 5 WHERE workspace_id = $W AND sequence < 0`, tenant);
    expect((await stateOf(tenant)).breaks).toContainEqual({ sequence: 3, kind: 'link' });
  });

  test('shows an entry that was put in from another workspace', async () => {
    const [tenant, other] = [await workspaceWith(2), await workspaceWith(3)];
    await tamper(
      `UPDATE audit_log SET workspace_id = $W, environment_id = NULL WHERE workspace_id = '${other.workspaceId}' AND sequence = 3`,
      tenant,
    );
    expect((await stateOf(tenant)).breaks).toContainEqual({ sequence: 3, kind: 'content' });
    expect((await stateOf(other)).breaks).toEqual([{ sequence: 2, kind: 'end' }]);
  });
});

describe('a log of more than one page', () => {
  const AT_ONCE = 3;
  const inPages = (tenant: Tenant): Promise<AuditChainState> =>
    verifyAuditChain(database.db, tenant.workspaceId, AT_ONCE);

  test.each([2, 3, 4, 6, 7])('is whole with %i entries', async (entries) => {
    expect(await inPages(await workspaceWith(entries))).toEqual({ entries, breaks: [] });
  });

  test('shows a fault on its second page, where pages meet, and behind both', async () => {
    const tenant = await workspaceWith(8);
    await tamper(`UPDATE audit_log SET actor_id = 'usr_2' WHERE workspace_id = $W AND sequence = 5`, tenant);
    expect(await inPages(tenant)).toEqual({ entries: 8, breaks: [{ sequence: 5, kind: 'content' }] });
    // The last entry of a page, hashed again: the first of the next does not follow from it.
    await tamper(`UPDATE audit_log a SET hash = audit_hash(a) WHERE workspace_id = $W AND sequence = 5`, tenant);
    await tamper(`UPDATE audit_log SET actor_id = 'usr_2' WHERE workspace_id = $W AND sequence = 3`, tenant);
    await tamper(`UPDATE audit_log a SET hash = audit_hash(a) WHERE workspace_id = $W AND sequence = 3`, tenant);
    await tamper(`DELETE FROM audit_log WHERE workspace_id = $W AND sequence = 8`, tenant);
    expect(await inPages(tenant)).toEqual({
      entries: 7,
      breaks: [
        { sequence: 4, kind: 'link' },
        { sequence: 6, kind: 'link' },
        { sequence: 7, kind: 'end' },
      ],
    });
  });

  test('shows an entry that was removed where pages meet', async () => {
    const tenant = await workspaceWith(5);
    await tamper(`DELETE FROM audit_log WHERE workspace_id = $W AND sequence = 4`, tenant);
    expect(await inPages(tenant)).toEqual({ entries: 4, breaks: [{ sequence: 5, kind: 'link' }] });
  });

  test('is read in one snapshot: what is appended between its pages is in none', async () => {
    const tenant = await workspaceWith(6);
    let appended = 0;
    const whileAppending: Pick<Database, 'withWorkspace'> = {
      withWorkspace: (workspaceId, work, options) =>
        database.db.withWorkspace(
          workspaceId,
          (tx) =>
            work({
              ...tx,
              raw: async <Result>(...statement: Parameters<typeof tx.raw>): Promise<Result> => {
                const result = await tx.raw<Result>(...statement);
                await append(tenant, `meanwhile ${++appended}`);
                return result;
              },
            }),
          options,
        ),
    };
    expect(await verifyAuditChain(whileAppending, tenant.workspaceId, AT_ONCE)).toEqual({ entries: 6, breaks: [] });
    expect(appended).toBe(4); // three pages, the last of them empty, and the end
    expect(await inPages(tenant)).toEqual({ entries: 6 + appended, breaks: [] });
  });
});

describe('the audit log', () => {
  test('takes no UPDATE or DELETE, not even by the superuser, and its end moves with it alone', async () => {
    const tenant = await workspaceWith(1);
    await expect(owner.query('UPDATE audit_log SET action = action')).rejects.toThrow(/append-only/);
    await expect(owner.query('DELETE FROM audit_log')).rejects.toThrow(/append-only/);
    const asApplication = (sql: string): Promise<unknown> =>
      database.db.withWorkspace(tenant.workspaceId, (tx) => tx.raw(null, sql));
    for (const sql of [
      'UPDATE audit_log SET action = action',
      'DELETE FROM audit_log',
      'UPDATE audit_chains SET sequence = 0',
      'DELETE FROM audit_chains',
      `INSERT INTO audit_chains (workspace_id, sequence) VALUES (current_workspace_id(), 0)`,
    ]) {
      await expect(asApplication(sql), sql).rejects.toThrow(/permission denied/);
    }
  });

  test('numbers and hashes by itself: what a writer says of these is not kept', async () => {
    const tenant = await workspaceWith(1);
    await database.db.withWorkspace(tenant.workspaceId, (tx) =>
      tx.raw(
        null,
        `INSERT INTO audit_log (id, workspace_id, sequence, actor_type, action, target_type, target_id, recorded_at, previous_hash, hash)
         VALUES ('aud_forged', current_workspace_id(), 99, 'system', 'thing.forged', 'thing', '1', 'epoch', 'forged', 'forged')`,
      ),
    );
    expect(await stateOf(tenant)).toEqual({ entries: 2, breaks: [] });
    const rows = await database.asOwner<{ sequence: string; recorded_at: Date }>(
      `SELECT sequence, recorded_at FROM audit_log WHERE id = 'aud_forged'`,
    );
    expect(rows[0]?.sequence).toBe('2');
    expect(rows[0]?.recorded_at.getTime()).toBeGreaterThan(0);
  });

  test('in a transaction of an environment takes that environment’s entries, which it fills in, and no other’s', async () => {
    const { development, staging } = await database.anotherWorkspace();
    const change = {
      workspaceId: development.workspaceId,
      actor: { type: 'api_key', id: 'key_1' },
      action: 'secret.rotated',
      target: { type: 'thing', id: '1' },
    } as const;
    await database.db.withEnvironment(development, (tx) => recordAudit(tx, change));
    await expect(
      database.db.withEnvironment(development, (tx) =>
        recordAudit(tx, { ...change, environmentId: staging.environmentId }),
      ),
    ).rejects.toThrow(/row-level security/);
    const { items } = await database.db.withWorkspace(development.workspaceId, (tx) =>
      listAudit(tx, { limit: 10, offset: 0 }),
    );
    expect(items.map((entry) => entry.environmentId)).toEqual([development.environmentId]);
  });
});
