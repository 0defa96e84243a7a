import type { Client } from 'pg';

/** Each invocation leaves rows in these tables, which stay until they are archived. All others lose their rows within days. */
const KEPT = [
  'invocations',
  'effects',
  'attempts',
  'evidence',
  'receipt_chains',
  'receipt_entries',
  'impact_reservations',
] as const;
const DAYS = 90;
const COPIES_AT_ONCE = 50;
/** `inv_`, then 14 places that begin with the time, then 8 that differ from id to id (domain/ids.ts). */
const PREFIX_LENGTH = 4;
const TIME_LENGTH = 14;

/**
 * Copies the records that are there so many times, each copy at a time of its own in the last 90 days. Ids keep their
 * references to one another; nothing of the environment's settings is copied. Past the triggers: a copy is a record of
 * the past, which nothing moves.
 */
export async function multiply(owner: Client, copies: number): Promise<void> {
  await owner.query("SET session_replication_role = 'replica'");
  await owner.query(`
    CREATE TEMPORARY TABLE copies AS
      SELECT n, make_interval(secs => ${DAYS * 86_400}.0 * n / ${copies}) AS earlier,
        substr(run_id_floor(now() - make_interval(secs => ${DAYS * 86_400}.0 * n / ${copies})), ${PREFIX_LENGTH + 1}, ${TIME_LENGTH}) AS time
      FROM generate_series(1, ${copies}) n`);
  for (const table of KEPT) {
    const insert = await copyOf(owner, table);
    for (let from = 1; from <= copies; from += COPIES_AT_ONCE) {
      await owner.query(insert, [from, from + COPIES_AT_ONCE - 1]);
    }
  }
  await owner.query("SET session_replication_role = 'origin'");
  await owner.query('VACUUM ANALYZE');
}

/** Takes the first and the last copy as `$1` and `$2`. The rows that are there are told from their copies by a table of their own. */
async function copyOf(owner: Client, table: string): Promise<string> {
  await owner.query(`CREATE TEMPORARY TABLE first_${table} AS SELECT * FROM ${table}`);
  const { rows: columns } = await owner.query<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'`,
    [table],
  );
  const values = columns.map(({ name, type }) => {
    if (type.startsWith('timestamp')) return `f.${name} - c.earlier`;
    if (name === 'operation_key') return `f.${name} || '~' || c.n`;
    if (type === 'text' && /^(id|retry_of)$|_id$/.test(name)) return copiedId(`f.${name}`);
    return `f.${name}`;
  });
  return `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')})
    SELECT ${values.join(', ')} FROM copies c, first_${table} f WHERE c.n BETWEEN $1 AND $2`;
}

/** Ids of records are moved in time; those of settings (`act_`, `actv_`, `lim_` …) stay. */
function copiedId(value: string): string {
  return `CASE WHEN ${value} ~ '^(inv|eff|att|evd|rsv)_' THEN substr(${value}, 1, ${PREFIX_LENGTH}) || c.time || substr(${value}, ${PREFIX_LENGTH + TIME_LENGTH + 1}) ELSE ${value} END`;
}

/** How often PostgreSQL has read a table of records whole since the statistics began, by table. */
export async function wholeReads(owner: Client): Promise<Map<string, number>> {
  const { rows } = await owner.query<{ name: string; reads: string }>(
    'SELECT relname AS name, seq_scan AS reads FROM pg_stat_user_tables WHERE relname = ANY ($1)',
    [KEPT],
  );
  return new Map(rows.map(({ name, reads }) => [name, Number(reads)]));
}

/** Bytes on disk of the records with their indexes, of the whole database. */
export async function sizes(owner: Client): Promise<{ invocations: number; bytes: number }> {
  const { rows } = await owner.query<{ invocations: string; bytes: string }>(
    `SELECT (SELECT count(*) FROM invocations) AS invocations, sum(pg_total_relation_size(t::regclass)) AS bytes FROM unnest($1::text[]) t`,
    [KEPT],
  );
  return { invocations: Number(rows[0]?.invocations), bytes: Number(rows[0]?.bytes) };
}
