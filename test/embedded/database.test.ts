import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../db/client.ts';
import { refuseOtherSchema, refusePrivilegedLogin } from '../../db/refuse-unsuitable-database.ts';
import { readConfiguration } from '../../domain/configuration/read-configuration.ts';
import { DataFolder } from '../../embedded/data-folder.ts';
import { prepareDatabase } from '../../embedded/database.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

describe('a PostgreSQL that DATABASE_URL names', () => {
  let database: TestDatabase;
  let folder: DataFolder;
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await DataFolder.open(mkdtempSync(path.join(tmpdir(), 'embedded-')));
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder.path, { recursive: true, force: true });
  });

  const judge = async (url: string): Promise<void> => {
    const db = new Database({ url, applicationName: 'test' });
    try {
      await refusePrivilegedLogin(db);
    } finally {
      await db.close();
    }
  };

  it('is migrated with an owner, and used with a plain login whose password the folder keeps', async () => {
    const configuration = readConfiguration('embedded', { DATABASE_URL: database.ownerUrl });
    const first = await prepareDatabase(configuration, folder);
    expect(first).toMatchObject({ ownerUrl: database.ownerUrl, server: null });
    await expect(judge(first.applicationUrl)).resolves.toBeUndefined();
    expect(await prepareDatabase(configuration, folder)).toEqual(first);
  });

  it('is used as it is with a plain login', async () => {
    const configuration = readConfiguration('embedded', { DATABASE_URL: database.applicationUrl });
    expect(await prepareDatabase(configuration, folder)).toEqual({
      applicationUrl: database.applicationUrl,
      ownerUrl: null,
      server: null,
    });
  });

  it('is refused where a newer version migrated it', async () => {
    await database.asOwner(`INSERT INTO migrations (name, batch, migration_time) VALUES ('9999-future', 9, now())`);
    const configuration = readConfiguration('embedded', { DATABASE_URL: database.ownerUrl });
    await expect(prepareDatabase(configuration, folder)).rejects.toThrow('9999-future');
    await database.asOwner(`DELETE FROM migrations WHERE name = '9999-future'`);
  });

  it('is refused by API and worker where another version migrated it, and with what to do about it', async () => {
    const { db } = database;
    await expect(refuseOtherSchema(db)).resolves.toBeUndefined();
    await database.asOwner(`UPDATE migrations SET name = '0001-tenancy' WHERE name = '0001-workspaces'`);
    await expect(refuseOtherSchema(db)).rejects.toThrow(/before the first release.*DATA_DIR/);
    await database.asOwner(`UPDATE migrations SET name = '0001-workspaces' WHERE name = '0001-tenancy'`);
    await database.asOwner(`INSERT INTO migrations (name, batch, migration_time) VALUES ('9999-future', 9, now())`);
    await expect(refuseOtherSchema(db)).rejects.toThrow(/newer version: this one does not know 9999-future/);
    await database.asOwner(`DELETE FROM migrations WHERE name = '9999-future'`);
    await database.asOwner(`UPDATE migrations SET name = '0022-else' WHERE name LIKE '0022-%'`);
    await expect(refuseOtherSchema(db)).rejects.toThrow(/newer version/);
    await database.asOwner(`DELETE FROM migrations WHERE name = '0022-else'`);
    await expect(refuseOtherSchema(db)).rejects.toThrow(
      /older than this version: it lacks 0022-\S+\. Run "npm run db:migrate"/,
    );
    await database.asOwner('DROP FUNCTION list_applied_migrations()');
    await expect(refuseOtherSchema(db)).rejects.toThrow(/older than this version\. Run "npm run db:migrate"/);
  });

  it.each([
    ['a superuser', 'SUPERUSER', 'is a superuser'],
    ['a role that bypasses row-level security', 'BYPASSRLS', 'bypasses row-level security'],
    ['a member of the owner', `IN ROLE service_owner`, 'is a superuser'],
  ])('is refused as %s', async (_name, attribute, reason) => {
    const role = `test_${attribute.toLowerCase().replace(/\W/g, '_')}_${process.pid}`;
    await database.asOwner(`CREATE ROLE ${role} LOGIN PASSWORD 'pw' ${attribute}`);
    const url = new URL(database.ownerUrl);
    url.username = role;
    url.password = 'pw';
    await expect(judge(url.href)).rejects.toThrow(reason);
    await database.asOwner(`DROP ROLE ${role}`);
  });

  it('is refused as the plain owner of a tenant table', async () => {
    const role = `test_owner_${process.pid}`;
    await database.asOwner(`CREATE ROLE ${role} LOGIN PASSWORD 'pw'`);
    await database.asOwner(`CREATE TABLE strays (id int); `);
    await database.asOwner(`ALTER TABLE strays OWNER TO ${role}`);
    const url = new URL(database.ownerUrl);
    url.username = role;
    url.password = 'pw';
    await expect(judge(url.href)).rejects.toThrow('owns tables of the service');
    await database.asOwner('DROP TABLE strays');
    await database.asOwner(`DROP ROLE ${role}`);
  });

  it('is refused before it is migrated', async () => {
    await database.asOwner('ALTER TABLE invocations RENAME TO moved');
    await expect(judge(database.applicationUrl)).rejects.toThrow('npm run db:migrate');
    await database.asOwner('ALTER TABLE moved RENAME TO invocations');
  });
});
