import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appendEvidence } from '../../../db/effects/append-evidence.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { type PlantedAction, plantAction } from '../actions/planted-rows.ts';
import { plantAttempt } from '../attempts/planted-rows.ts';
import { insert, withoutTriggers } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';
import { plantEffect } from './planted-rows.ts';

/** Evidence and action versions are append-only, and evidence is chained by hash for each effect, so that a receipt can be checked. */

let database: TestDatabase;
let owner: Client;
let planted: PlantedAction;
let attemptId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Client({ connectionString: database.ownerUrl });
  await owner.connect();
  planted = await plantAction(owner, database.tenant);
  attemptId = await plantAttempt(owner, database.tenant, await plantInvocation(owner, database.tenant, planted));
  await append(await effectWithEvidence(0), 'planted');
});

afterAll(async () => {
  await owner?.end();
  await database?.close();
});

/** Sequences whose row does not follow from its own content and the row before. The check that any reader of a receipt can make. */
async function brokenLinks(effectId: string): Promise<number[]> {
  const { rows } = await owner.query<{ sequence: number }>(
    `SELECT sequence FROM (
       SELECT e.sequence, e.hash = evidence_hash(e) AS intact,
         e.previous_hash IS NOT DISTINCT FROM lag(e.hash) OVER (ORDER BY e.sequence) AS chained,
         e.sequence = row_number() OVER (ORDER BY e.sequence) AS counted
       FROM evidence e WHERE e.effect_id = $1) links
     WHERE NOT (intact AND chained AND counted) ORDER BY sequence`,
    [effectId],
  );
  return rows.map((row) => row.sequence);
}

async function effectWithEvidence(count: number): Promise<string> {
  const invocationId = await plantInvocation(owner, database.tenant, planted);
  const effectId = await plantEffect(owner, database.tenant, { invocationId, versionId: planted.versionId });
  for (let n = 1; n <= count; n++) await append(effectId, `observation ${n}`);
  return effectId;
}

function append(effectId: string, summary: string): Promise<string> {
  return database.db.withEnvironment(database.tenant, (tx) =>
    appendEvidence(tx, {
      effectId,
      source: 'provider_response',
      observedAt: new Date('2026-01-02T03:04:05.678Z'),
      impliedOutcome: 'succeeded',
      providerIds: { charge: 'ch_1' },
      summary,
      details: { status: 200, body: { ключ: ['ü', 1.5, null] } },
      actor: { type: 'system', id: null },
    }),
  );
}

describe('the chain of an effect’s evidence', () => {
  test('holds, row by row from the first', async () => {
    const effectId = await effectWithEvidence(4);
    const { rows } = await owner.query<{ sequence: number; previous_hash: string | null; hash: string }>(
      'SELECT sequence, previous_hash, hash FROM evidence WHERE effect_id = $1 ORDER BY sequence',
      [effectId],
    );
    expect(rows.map((row) => row.sequence)).toEqual([1, 2, 3, 4]);
    expect(rows[0]?.previous_hash).toBeNull();
    expect(rows[1]?.previous_hash).toBe(rows[0]?.hash);
    for (const row of rows) expect(row.hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await brokenLinks(effectId)).toEqual([]);
  });

  test('has one writer at a time: ten at once make one unbroken chain', async () => {
    const effectId = await effectWithEvidence(0);
    await Promise.all(Array.from({ length: 10 }, (_value, n) => append(effectId, `at once ${n}`)));
    const { rows } = await owner.query('SELECT count(*)::int AS count FROM evidence WHERE effect_id = $1', [effectId]);
    expect(rows).toEqual([{ count: 10 }]);
    expect(await brokenLinks(effectId)).toEqual([]);
  });

  test.each([
    ['summary', `summary = 'another story'`],
    ['source', `source = 'system'`],
    ['implied outcome', `implied_outcome = 'failed'`],
    ['provider ids', `provider_ids = '{"charge": "ch_2"}'`],
    ['details', `details = details || '{"status": 500}'`],
    ['actor', `actor_id = 'someone'`],
    ['time of the observation', `observed_at = observed_at + interval '1 ms'`],
    ['time of the record', `recorded_at = recorded_at + interval '1 ms'`],
    ['effect', `effect_id = $2`],
    ['environment', `environment_id = $3`],
    ['hash', `hash = 'sha256:' || repeat('0', 64)`],
    ['previous hash', `previous_hash = NULL`],
  ])('shows a row whose %s was changed behind the database’s back', async (_what, assignment) => {
    const effectId = await effectWithEvidence(3);
    const other = await effectWithEvidence(0);
    await withoutTriggers(owner, () =>
      owner.query(
        `UPDATE evidence SET ${assignment} WHERE effect_id = $1 AND sequence = 2 AND $2::text <> '' AND $3::uuid IS NOT NULL`,
        [effectId, other, database.tenants.production.environmentId],
      ),
    );
    expect([...(await brokenLinks(effectId)), ...(await brokenLinks(other))]).not.toEqual([]);
  });

  test('shows a row that was taken out, and two that changed places', async () => {
    const shortened = await effectWithEvidence(3);
    const swapped = await effectWithEvidence(3);
    await withoutTriggers(owner, async () => {
      await owner.query('DELETE FROM evidence WHERE effect_id = $1 AND sequence = 2', [shortened]);
      await owner.query('UPDATE evidence SET sequence = 9 WHERE effect_id = $1 AND sequence = 1', [swapped]);
    });
    expect(await brokenLinks(shortened)).not.toEqual([]);
    expect(await brokenLinks(swapped)).not.toEqual([]);
  });
});

describe('append-only tables', () => {
  test.each(['evidence', 'action_versions'])('%s: no UPDATE or DELETE, not even by the superuser', async (table) => {
    await expect(owner.query(`UPDATE ${table} SET id = id`)).rejects.toThrow(/append-only/);
    await expect(owner.query(`DELETE FROM ${table}`)).rejects.toThrow(/append-only/);
    const asApplication = (sql: string): Promise<unknown> =>
      database.db.withEnvironment(database.tenant, (tx) => tx.raw(sql));
    await expect(asApplication(`UPDATE ${table} SET id = id`)).rejects.toThrow(/permission denied/);
    await expect(asApplication(`DELETE FROM ${table}`)).rejects.toThrow(/permission denied/);
  });

  test.each([
    ['invocations', { status: 'succeeded', outcome_source: 'system' }],
    ['attempts', { status: 'abandoned', finished_at: new Date() }],
  ])('%s begin at the beginning', async (table, over) => {
    const rows = await database.asOwner<Record<string, unknown>>(`SELECT * FROM ${table}`);
    const { grade: _derived, input: _input, requested_by: _by, ...row } = rows[0] ?? {};
    const json = table === 'invocations' ? { input: {}, requested_by: {} } : {};
    await expect(insert(owner, table, { ...row, ...json, ...over, id: 'another' })).rejects.toThrow(/cannot begin as/);
  });

  test('a closed attempt, and a claim, stand for good', async () => {
    const attempt = `FROM attempts WHERE id = '${attemptId}'`;
    const update = (set: string): Promise<unknown> =>
      owner.query(`UPDATE attempts SET ${set} WHERE id = $1`, [attemptId]);
    await update('claimed_at = now()');
    await expect(update("claimed_at = now() + interval '1 s'")).rejects.toThrow(/was claimed before/);
    await expect(update('claimed_at = NULL')).rejects.toThrow(/was claimed before/);
    await expect(update("kind = 'replay'")).rejects.toThrow(/immutable/);
    await update("status = 'completed', observed_outcome = 'succeeded', finished_at = now()");
    await expect(update("observed_outcome = 'failed'")).rejects.toThrow(/is closed/);
    await expect(owner.query(`DELETE ${attempt}`)).rejects.toThrow(/never deleted/);
  });
});
