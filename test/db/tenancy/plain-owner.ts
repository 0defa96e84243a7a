import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { closesWithFile } from '../../harness/closes-with-file.ts';
import { withDatabase } from '../../harness/global-setup.ts';

const PASSWORD = 'a-password';

/** An empty database as in production: its owner is no superuser, and the application's login does not exist yet. It closes with the file. */
export interface PlainlyOwnedDatabase {
  ownerUrl: string;
  applicationUrl: string;
  /** The superuser's connection to this database, for what a test plants and checks. */
  superuser: Client;
  close(): Promise<void>;
}

export async function createPlainlyOwnedDatabase(): Promise<PlainlyOwnedDatabase> {
  const stack = inject('stack');
  const name = `plain_${randomBytes(6).toString('hex')}`;
  const cluster = new Client({ connectionString: stack.postgresOwnerUrl });
  await cluster.connect();
  await cluster.query(`CREATE ROLE ${name}_owner LOGIN CREATEROLE PASSWORD '${PASSWORD}'`);
  await cluster.query(`CREATE DATABASE ${name} OWNER ${name}_owner`);
  await cluster.query(`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`);
  // Roles belong to the cluster, and another owner created them first. The owner gets what PostgreSQL 16 gives the creator of a
  // role.
  await cluster.query(
    `GRANT service_app, service_directory TO ${name}_owner WITH ADMIN TRUE, INHERIT FALSE, SET FALSE`,
  );
  const superuser = new Client({ connectionString: withDatabase(stack.postgresOwnerUrl, name) });
  await superuser.connect();
  const loginUrl = (user: string): string => {
    const url = new URL(withDatabase(stack.postgresOwnerUrl, name));
    url.username = user;
    url.password = PASSWORD;
    return url.href;
  };
  return {
    ownerUrl: loginUrl(`${name}_owner`),
    applicationUrl: loginUrl(`${name}_app`),
    superuser,
    close: closesWithFile(async () => {
      await superuser.end();
      await cluster.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await cluster.query(`DROP ROLE IF EXISTS ${name}_app`);
      await cluster.query(`DROP ROLE IF EXISTS ${name}_owner`);
      await cluster.end();
    }),
  };
}
