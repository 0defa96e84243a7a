import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { Database } from '../../../db/client.ts';
import { migrate } from '../../../db/migrate.ts';
import { createWorkspace } from '../../../db/environments/workspaces.ts';
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
});
