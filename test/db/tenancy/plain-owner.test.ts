import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { Client } from 'pg';
import { Database } from '../../../db/client.ts';
import { migrate } from '../../../db/migrate.ts';
import { createWorkspace } from '../../../db/environments/create-workspace.ts';
import { withDatabase } from '../../harness/global-setup.ts';

/**
 * In production (docker-compose.yml) the owner of the tables is no superuser: it may make roles, and it owns its database.
 * Migrations must need no more than that, and the application's login no more than what they grant.
 */

const name = `plain_${randomBytes(6).toString('hex')}`;
let superuser: Client;
let ownerUrl: string;
let applicationUrl: string;

function loginUrl(user: string): string {
  const url = new URL(withDatabase(inject('stack').postgresOwnerUrl, name));
  url.username = user;
  url.password = 'a-password';
  return url.href;
}

beforeAll(async () => {
  superuser = new Client({ connectionString: inject('stack').postgresOwnerUrl });
  await superuser.connect();
  await superuser.query(`CREATE ROLE ${name}_owner LOGIN CREATEROLE PASSWORD 'a-password'`);
  await superuser.query(`CREATE DATABASE ${name} OWNER ${name}_owner`);
  await superuser.query(`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`);
  // The roles are the cluster's, and another owner made them first: what a maker of a role is given, PostgreSQL 16 and later.
  await superuser.query(
    `GRANT service_app, service_directory TO ${name}_owner WITH ADMIN TRUE, INHERIT FALSE, SET FALSE`,
  );
  ownerUrl = loginUrl(`${name}_owner`);
  applicationUrl = loginUrl(`${name}_app`);
});

afterAll(async () => {
  await superuser.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await superuser.query(`DROP ROLE IF EXISTS ${name}_app`);
  await superuser.query(`DROP ROLE IF EXISTS ${name}_owner`);
  await superuser.end();
});

describe('an owner that is no superuser', () => {
  test('migrates, makes the application’s login, and the application works', async () => {
    const { applied } = await migrate({ ownerUrl, applicationUrl });
    expect(applied[0]).toBe('0001-tenancy');
    expect((await migrate({ ownerUrl, applicationUrl })).applied).toEqual([]);

    const db = new Database({ url: applicationUrl, applicationName: 'test' });
    const { workspaceId, environments } = await createWorkspace(db, 'A workspace', 'enterprise');
    const environmentId = environments[0]?.id ?? '';
    const seen = await db.withEnvironment({ workspaceId, environmentId }, async (tx) =>
      tx('environments').select('name', 'kind', 'protected'),
    );
    // Source: service.md "Versioning" 6.
    expect(seen).toEqual([{ name: 'Production', kind: 'production', protected: true }]);
    const { rows } = await db.directory.raw<{ rows: unknown[] }>('SELECT * FROM list_environment_ids()');
    expect(rows).toHaveLength(1);
    await db.close();
  });

  test('is bound by row-level security itself', async () => {
    const owner = new Client({ connectionString: ownerUrl });
    await owner.connect();
    const { rows } = await owner.query<{ count: number }>('SELECT count(*)::int AS count FROM environments');
    await owner.end();
    expect(rows[0]?.count).toBe(0);
  });
});
