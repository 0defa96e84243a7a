import type { Client } from 'pg';

/**
 * Prints the schema `public` as readable SQL. The same schema gives the same text: roles, types, functions, tables, indexes, policies,
 * triggers and grants from PostgreSQL's catalog, each list sorted by name. It is for people and for the drift test; only
 * migrations make a schema (npm has no pg_dump).
 *
 * Left out: the bookkeeping tables of knex, and the name of the owner, which differs between installations.
 */
export async function dumpSchema(client: Client): Promise<string> {
  await client.query('SET search_path = public'); // decides which names PostgreSQL prints with their schema
  await refuseUnknownKinds(client);
  const sections = [
    HEADER,
    await dumpRoles(client),
    await dumpTypes(client),
    await dumpRoutines(client),
    ...(await dumpTables(client)),
    await dumpForeignKeys(client),
  ];
  return `${sections.join('\n\n')}\n`;
}

const HEADER = `-- The schema as the migrations leave it. Generated: change db/migrations, then run \`npm run db:schema\`.`;
const OUR_TABLES = `c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname NOT LIKE 'migrations%'`;
const ROLES = `('service_app', 'service_directory')`;

/** Fails on a kind of object that this dump does not print. */
async function refuseUnknownKinds(client: Client): Promise<void> {
  const kinds = await linesOf(
    client,
    `SELECT format('%s (relkind %s)', relname, relkind) AS line FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('r', 'p', 'i', 'I', 't', 'c') AND relname NOT LIKE 'migrations%'
     UNION ALL
     SELECT format('%s (type)', typname) FROM pg_type
       WHERE typnamespace = 'public'::regnamespace AND typtype IN ('d', 'e', 'r') ORDER BY 1`,
  );
  if (kinds.length > 0) throw new Error(`teach test/db/schema/dump-schema.ts to print ${kinds.join(', ')}`);
}

async function dumpRoles(client: Client): Promise<string> {
  const roles = await linesOf(
    client,
    `SELECT format('CREATE ROLE %I %s %s %s %s %s;', rolname,
         CASE WHEN rolcanlogin THEN 'LOGIN' ELSE 'NOLOGIN' END, CASE WHEN rolsuper THEN 'SUPERUSER' ELSE 'NOSUPERUSER' END,
         CASE WHEN rolbypassrls THEN 'BYPASSRLS' ELSE 'NOBYPASSRLS' END, CASE WHEN rolcreaterole THEN 'CREATEROLE' ELSE 'NOCREATEROLE' END,
         CASE WHEN rolcreatedb THEN 'CREATEDB' ELSE 'NOCREATEDB' END) AS line
     FROM pg_roles WHERE rolname IN ${ROLES} ORDER BY rolname`,
  );
  const grants = await linesOf(
    client,
    `SELECT format('GRANT %s ON SCHEMA public TO %I;', string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type), r.rolname) AS line
     FROM pg_namespace n, aclexplode(n.nspacl) a JOIN pg_roles r ON r.oid = a.grantee
     WHERE n.nspname = 'public' AND r.rolname IN ${ROLES} GROUP BY r.rolname ORDER BY r.rolname`,
  );
  return [...roles, ...grants].join('\n');
}

async function dumpTypes(client: Client): Promise<string> {
  const types = await linesOf(
    client,
    `SELECT format('CREATE TYPE %I AS (%s);', c.relname,
       string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum)) AS line
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'c' GROUP BY c.relname ORDER BY 1`,
  );
  return types.join('\n');
}

async function dumpRoutines(client: Client): Promise<string> {
  const routines = await linesOf(
    client,
    `SELECT pg_get_functiondef(p.oid) || ';'
       || CASE WHEN o.rolname IN ${ROLES} THEN format(E'\\nALTER %s %s OWNER TO %I;', k.kind, p.oid::regprocedure, o.rolname) ELSE '' END
       || CASE WHEN p.proacl IS NOT NULL AND NOT EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee = 0)
            THEN format(E'\\nREVOKE ALL ON %s %s FROM PUBLIC;', k.kind, p.oid::regprocedure) ELSE '' END
       || COALESCE((SELECT string_agg(format(E'\\nGRANT EXECUTE ON %s %s TO %I;', k.kind, p.oid::regprocedure, r.rolname), '' ORDER BY r.rolname)
            FROM aclexplode(p.proacl) a JOIN pg_roles r ON r.oid = a.grantee
            WHERE r.rolname IN ${ROLES} AND a.grantee <> p.proowner), '') AS line
     FROM pg_proc p JOIN pg_roles o ON o.oid = p.proowner,
       LATERAL (SELECT CASE p.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END AS kind) k
     WHERE p.pronamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
     ORDER BY p.proname, p.oid::regprocedure::text`,
  );
  return routines.join('\n\n');
}

async function dumpTables(client: Client): Promise<string[]> {
  const names = await linesOf(client, `SELECT c.relname AS line FROM pg_class c WHERE ${OUR_TABLES} ORDER BY 1`);
  const tables: string[] = [];
  for (const name of names) tables.push(await dumpTable(client, name));
  return tables;
}

async function dumpTable(client: Client, table: string): Promise<string> {
  const [opening, closing] = await linesOf(client, KIND_AND_STORAGE, table);
  const columns = await linesOf(client, COLUMNS, table);
  const constraints = await linesOf(client, CONSTRAINTS, table);
  const inside = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n');
  const after: string[] = [];
  for (const query of [INDEXES, SECURITY, POLICIES, TABLE_GRANTS, COLUMN_GRANTS, TRIGGERS]) {
    after.push(...(await linesOf(client, query, table)));
  }
  return [`${opening} ${table} (\n${inside}\n)${closing};`, ...after].join('\n');
}

/** A crash empties an unlogged table, and its fill factor decides the cost of an update, so both are printed. */
const KIND_AND_STORAGE = `
  SELECT line FROM pg_class, LATERAL (VALUES
    (1, CASE relpersistence WHEN 'u' THEN 'CREATE UNLOGGED TABLE' ELSE 'CREATE TABLE' END),
    (2, CASE WHEN relkind = 'p' THEN format(' PARTITION BY %s', pg_get_partkeydef(oid)) WHEN reloptions IS NULL THEN '' ELSE format(' WITH (%s)', array_to_string(reloptions, ', ')) END)) v (place, line)
  WHERE oid = $1::regclass ORDER BY place`;

const COLUMNS = `
  SELECT concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attcollation <> t.typcollation THEN format('COLLATE %I', co.collname) END,
    CASE WHEN a.attgenerated = 's' THEN format('GENERATED ALWAYS AS (%s) STORED', pg_get_expr(d.adbin, d.adrelid))
         WHEN a.attgenerated = 'v' THEN format('GENERATED ALWAYS AS (%s) VIRTUAL', pg_get_expr(d.adbin, d.adrelid))
         WHEN a.attidentity <> '' THEN format('GENERATED %s AS IDENTITY', CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END)
         WHEN d.adbin IS NOT NULL THEN 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END,
    CASE WHEN a.attnotnull THEN 'NOT NULL' END) AS line
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    LEFT JOIN pg_collation co ON co.oid = a.attcollation
  WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;

/** Foreign keys come last, so that the text reads (and would run) from top to bottom; NOT NULL is printed with its column. */
const CONSTRAINTS = `
  SELECT format('CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)) AS line FROM pg_constraint
  WHERE conrelid = $1::regclass AND contype NOT IN ('f', 'n', 't')
  ORDER BY position(contype::text IN 'puxc'), conname COLLATE "C"`;

const INDEXES = `
  SELECT pg_get_indexdef(i.indexrelid) || ';' AS line FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = $1::regclass AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype <> 'f')
  ORDER BY c.relname COLLATE "C"`;

const SECURITY = `
  SELECT format('ALTER TABLE %s %s ROW LEVEL SECURITY;', oid::regclass, word) AS line
  FROM pg_class, LATERAL (VALUES (1, 'ENABLE', relrowsecurity), (2, 'FORCE', relforcerowsecurity)) v (place, word, holds)
  WHERE oid = $1::regclass AND holds ORDER BY place`;

const POLICIES = `
  SELECT concat_ws(' ', format('CREATE POLICY %I ON %s', polname, polrelid::regclass),
    CASE WHEN NOT polpermissive THEN 'AS RESTRICTIVE' END,
    'FOR ' || CASE polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
    'TO ' || CASE WHEN polroles = '{0}' THEN 'PUBLIC'
      ELSE (SELECT string_agg(quote_ident(rolname), ', ' ORDER BY rolname) FROM pg_roles WHERE oid = ANY (polroles)) END,
    'USING (' || pg_get_expr(polqual, polrelid) || ')',
    'WITH CHECK (' || pg_get_expr(polwithcheck, polrelid) || ')') || ';' AS line
  FROM pg_policy WHERE polrelid = $1::regclass ORDER BY polname`;

const TABLE_GRANTS = `
  SELECT format('GRANT %s ON %s TO %s;', string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type), c.oid::regclass,
    COALESCE(quote_ident(r.rolname), 'PUBLIC')) AS line
  FROM pg_class c, aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
  WHERE c.oid = $1::regclass AND a.grantee <> c.relowner GROUP BY c.oid, r.rolname ORDER BY r.rolname`;

const COLUMN_GRANTS = `
  SELECT format('GRANT %s (%s) ON %s TO %s;', a.privilege_type, string_agg(quote_ident(t.attname), ', ' ORDER BY t.attnum), c.oid::regclass,
    COALESCE(quote_ident(r.rolname), 'PUBLIC')) AS line
  FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid, aclexplode(t.attacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
  WHERE c.oid = $1::regclass AND a.grantee <> c.relowner GROUP BY c.oid, r.rolname, a.privilege_type
  ORDER BY r.rolname, a.privilege_type`;

const TRIGGERS = `
  SELECT pg_get_triggerdef(oid) || ';' AS line FROM pg_trigger
  WHERE tgrelid = $1::regclass AND NOT tgisinternal ORDER BY tgname`;

async function dumpForeignKeys(client: Client): Promise<string> {
  const keys = await linesOf(
    client,
    `SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s;', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) AS line
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE k.contype = 'f' AND ${OUR_TABLES}
     ORDER BY c.relname COLLATE "C", k.conname COLLATE "C"`,
  );
  return keys.join('\n');
}

async function linesOf(client: Client, query: string, table?: string): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(query, table === undefined ? [] : [table]);
  return rows.map((row) => row.line.replace(/[ \t]+$/gm, ''));
}
