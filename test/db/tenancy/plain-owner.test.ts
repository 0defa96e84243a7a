import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { archiveInvocations, listCandidates, readRecords } from '../../../db/archive/archiving.ts';
import { Database, type Tenant } from '../../../db/client.ts';
import { migrate } from '../../../db/migrate.ts';
import { createWorkspace } from '../../../db/environments/workspaces.ts';
import { digestOfText } from '../../../domain/archive/archived-record.ts';
import { plantAction } from '../actions/planted-rows.ts';
import { withoutTriggers } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';
import { createPlainlyOwnedDatabase } from './plain-owner.ts';

/**
 * In production (docker-compose.yml) the owner of the tables is no superuser: it can create roles, and it owns its database.
 * Migrations must need no more than that, and the application's login no more than what they grant.
 */

const database = await createPlainlyOwnedDatabase();

describe('an owner that is no superuser', () => {
  test('migrates, makes the application’s login, and the application works', async () => {
    const { ownerUrl, applicationUrl } = database;
    const { applied } = await migrate({ ownerUrl, applicationUrl });
    expect(applied[0]).toBe('0001-workspaces');
    expect((await migrate({ ownerUrl, applicationUrl })).applied).toEqual([]);

    const db = new Database({ url: applicationUrl, applicationName: 'test' });
    const { workspaceId, environments } = await createWorkspace(db, 'A workspace', 'enterprise');
    const environmentId = environments[0]?.id ?? '';
    const { rows: seen } = await db.withEnvironment({ workspaceId, environmentId }, async (tx) =>
      tx.raw<{ rows: unknown[] }>(null, 'SELECT name, kind, protected FROM environments'),
    );
    // docs/environments.md: a new workspace has one environment, a protected Production.
    expect(seen).toEqual([{ name: 'Production', kind: 'production', protected: true }]);
    const { rows } = await db.directory.raw<{ rows: unknown[] }>(null, 'SELECT * FROM list_environment_ids()');
    expect(rows).toHaveLength(1);
    await db.close();
  });

  test('is bound by row-level security itself', async () => {
    const owner = new Client({ connectionString: database.ownerUrl });
    await owner.connect();
    const { rows } = await owner.query<{ count: number }>('SELECT count(*)::int AS count FROM environments');
    await owner.end();
    expect(rows[0]?.count).toBe(0);
  });

  test('archives what is old in one environment', async () => {
    const { superuser } = database;
    const db = new Database({ url: database.ownerUrl, applicationName: 'archive', poolMax: 1 });
    const { rows } = await superuser.query<Tenant>(
      `SELECT id AS "environmentId", workspace_id AS "workspaceId" FROM environments`,
    );
    const [tenant] = rows as [Tenant];
    const id = await plantInvocation(superuser, tenant, await plantAction(superuser, tenant));
    await withoutTriggers(superuser, () =>
      superuser.query(
        `UPDATE invocations SET status = 'succeeded', outcome_source = 'system', created_at = now() - interval '500 days',
           settled_at = now() - interval '500 days', updated_at = now() - interval '500 days'`,
      ),
    );
    await superuser.query('DELETE FROM workflow_starts');
    await db.withEnvironment(tenant, async (tx) => {
      const [candidate] = await listCandidates(tx, { before: new Date(), behind: null, most: 10 });
      expect(candidate).toMatchObject({ id, refusal: null });
      const lines = await readRecords(tx, [id]);
      const read = lines.map(({ line }) => ({ id, sha256: digestOfText(line) }));
      await archiveInvocations(tx, `${tenant.environmentId}/2024-01-1`, read);
    });
    await db.close();
    const { rows: left } = await superuser.query(
      'SELECT (SELECT count(*)::int FROM invocations) AS invocations, invocation_id FROM operation_keys',
    );
    expect(left).toEqual([{ invocations: 0, invocation_id: id }]);
  });
});
