import type { Client } from 'pg';
import { withoutTriggers } from '../../db/harness/plant.ts';

/** The tables of an invocation's record: what an archive holds. */
export const RECORD_TABLES = [
  'invocations',
  'effects',
  'attempts',
  'late_answers',
  'evidence',
  'receipt_chains',
  'receipt_entries',
  'resolutions',
  'observations',
  'previews',
  'approvals',
  'approval_decisions',
  'chat_posts',
  'impact_reservations',
  'budget_reservations',
  'effect_dependencies',
  'late_executions',
] as const;

/** Receipts date their records, so those of another time have other hashes. */
const REHASH = `DO $$
  DECLARE
    entry receipt_entries;
    before text;
    effect text := '';
  BEGIN
    FOR entry IN SELECT * FROM receipt_entries ORDER BY effect_id, sequence LOOP
      IF entry.effect_id <> effect THEN before := NULL; effect := entry.effect_id; END IF;
      entry.previous_hash := before;
      entry.hash := receipt_hash(entry, CASE entry.kind
        WHEN 'evidence' THEN (SELECT receipt_content(v) FROM evidence v WHERE v.id = entry.record_id)
        WHEN 'late_answer' THEN (SELECT receipt_content(l) FROM late_answers l WHERE l.attempt_id = entry.record_id)
        WHEN 'resolution' THEN (SELECT receipt_content(s) FROM resolutions s WHERE s.id = entry.record_id)
        ELSE (SELECT receipt_content(a, entry.kind) FROM attempts a WHERE a.id = entry.record_id) END);
      UPDATE receipt_entries SET previous_hash = entry.previous_hash, hash = entry.hash
        WHERE effect_id = entry.effect_id AND sequence = entry.sequence;
      UPDATE receipt_chains SET hash = entry.hash WHERE effect_id = entry.effect_id;
      before := entry.hash;
    END LOOP;
  END $$`;

/** Makes every record that is there so many days older, as if it had been made then. */
export async function makeOlder(owner: Client, days: number): Promise<void> {
  const { rows } = await owner.query<{ table: string; columns: string[] }>(
    `SELECT table_name::text AS table, array_agg(column_name::text) AS columns FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = ANY ($1) AND data_type = 'timestamp with time zone' GROUP BY 1`,
    [RECORD_TABLES],
  );
  await withoutTriggers(owner, async () => {
    for (const { table, columns } of rows) {
      const moves = columns.map((column) => `${column} = ${column} - ${days} * interval '24 hours'`);
      await owner.query(`UPDATE ${table} SET ${moves.join(', ')}`);
    }
    await owner.query(REHASH);
  });
}
