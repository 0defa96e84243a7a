import { describe, expect, test } from 'vitest';
import { recordAudit } from '../../../db/audit/record-audit.ts';
import { appendEvidence } from '../../../db/effects/evidence.ts';
import { type ReceiptState, verifyReceipts } from '../../../db/effects/verify-receipts.ts';
import { canonicalText } from './stranger.ts';
import { newId } from '../../../domain/ids.ts';
import { startPlantedDatabase } from '../harness/planted-database.ts';
import { plantAttempt } from '../attempts/planted-rows.ts';
import { insert, withoutTriggers } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';
import { plantEffect } from './planted-rows.ts';

/** What a receipt says is append-only and chained by hash for each effect, so that it can be checked: docs/receipts.md. */

const world = await startPlantedDatabase();
const { database, owner, planted } = world;
const attemptId = await plantAttempt(owner, database.tenant, await plantInvocation(owner, database.tenant, planted));
await append(await effectWithEvidence(0), 'planted');
await recordSomething();

/** An entry of the audit log, so that its tables are not empty. */
function recordSomething(): Promise<void> {
  const { workspaceId } = database.tenant;
  return database.db.withWorkspace(workspaceId, (tx) =>
    recordAudit(tx, {
      workspaceId,
      actor: { type: 'system', id: null },
      action: 'secret.rotated',
      target: { type: 'thing', id: '1' },
    }),
  );
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

/** An effect with every kind of entry: 1 evidence, 2 started, 3 claimed, 4 ended, 5 late answer, 6 resolution. */
async function wholeEffect(): Promise<string> {
  const { environmentId: environment_id } = database.tenant;
  const invocationId = await plantInvocation(owner, database.tenant, planted);
  const underWay = { stage: 'reconciling', outcome: 'unknown' };
  const effectId = await withoutTriggers(owner, () =>
    plantEffect(owner, database.tenant, { invocationId, versionId: planted.versionId }, underWay),
  );
  await owner.query('UPDATE invocations SET effect_id = $1 WHERE id = $2', [effectId, invocationId]);
  await append(effectId, 'what was seen');
  const attemptId = newId('attempt');
  const attempt = { id: attemptId, environment_id, invocation_id: invocationId, number: 1, kind: 'dispatch' };
  await insert(owner, 'attempts', { ...attempt, secret_versions: { TOKEN: 2 } });
  await owner.query('UPDATE attempts SET claimed_at = now() WHERE id = $1', [attemptId]);
  await owner.query(
    `UPDATE attempts SET status = 'completed', observed_outcome = 'unknown', error = 'no answer', response = '{"status": 503}',
       refusal = '{"code": "x"}', finished_at = now() WHERE id = $1`,
    [attemptId],
  );
  const late = {
    attempt_id: attemptId,
    environment_id,
    observed_outcome: 'unknown',
    error: 'late',
    response: { status: 200 },
  };
  await insert(owner, 'late_answers', late);
  await insert(owner, 'resolutions', {
    id: newId('resolution'),
    environment_id,
    invocation_id: invocationId,
    effect_id: effectId,
    outcome: 'failed',
    previous_outcome: 'unknown',
    partial_effect: 'none',
    summary: 'looked it up',
    provider_ids: { refund: 're_1' },
    resolved_by: { type: 'api_key', id: 'key_1' },
  });
  return effectId;
}

async function stateOf(effectId: string): Promise<ReceiptState> {
  const [state] = await database.db.withEnvironment(database.tenant, (tx) => verifyReceipts(tx, [effectId]));
  if (state === undefined) throw new Error('there is no such effect');
  return state;
}

/** Changes rows behind the database’s back, as only a superuser can. `$E` is the effect, `$A` its attempts. */
function tamper(effectId: string, sql: string): Promise<unknown> {
  const attempts = `(SELECT a.id FROM attempts a JOIN effects e ON e.invocation_id = a.invocation_id WHERE e.id = '${effectId}')`;
  return withoutTriggers(owner, () => owner.query(sql.replaceAll('$E', `'${effectId}'`).replaceAll('$A', attempts)));
}

describe('the chain of an effect', () => {
  test('has an entry for all that becomes final, in the order in which it did', async () => {
    const effectId = await wholeEffect();
    const { rows } = await owner.query<{ kind: string; sequence: number; previous_hash: string | null; hash: string }>(
      'SELECT kind, sequence, previous_hash, hash FROM receipt_entries WHERE effect_id = $1 ORDER BY sequence',
      [effectId],
    );
    expect(rows.map((row) => row.kind)).toEqual([
      'evidence',
      'attempt_started',
      'attempt_claimed',
      'attempt_ended',
      'late_answer',
      'resolution',
    ]);
    expect(rows.map((row) => row.sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(rows.map((row) => row.previous_hash)).toEqual([null, ...rows.slice(0, -1).map((row) => row.hash)]);
    for (const row of rows) expect(row.hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await stateOf(effectId)).toEqual({
      effectId,
      entries: 6,
      checked: { evidence: 1, attempts: 1, resolutions: 1 },
      head: { sequence: 6, hash: rows.at(-1)?.hash },
      brokenAt: null,
    });
  });

  test('is whole where nothing is recorded yet', async () => {
    expect(await stateOf(await effectWithEvidence(0))).toMatchObject({ entries: 0, head: null, brokenAt: null });
  });

  test('has both entries of a read, which is claimed by being opened', async () => {
    const effectId = await effectWithEvidence(0);
    const { invocation_id } =
      (
        await database.asOwner<{ invocation_id: string }>(`SELECT invocation_id FROM effects WHERE id = $1`, [effectId])
      )[0] ?? {};
    const read = {
      id: newId('attempt'),
      environment_id: database.tenant.environmentId,
      invocation_id,
      number: 1,
      kind: 'reconcile',
    };
    await insert(owner, 'attempts', { ...read, claimed_at: new Date() });
    expect(await stateOf(effectId)).toMatchObject({ entries: 2, checked: { attempts: 1 }, brokenAt: null });
  });

  test('has one writer at a time: ten at once make one unbroken chain', async () => {
    const effectId = await effectWithEvidence(0);
    await Promise.all(Array.from({ length: 10 }, (_value, n) => append(effectId, `at once ${n}`)));
    expect(await stateOf(effectId)).toMatchObject({ entries: 10, checked: { evidence: 10 }, brokenAt: null });
  });

  test.each([
    [
      'evidence',
      1,
      'UPDATE evidence SET # WHERE effect_id = $E',
      [
        `summary = 'another story'`,
        `source = 'preview'`,
        `implied_outcome = 'failed'`,
        `provider_ids = '{}'`,
        `details = '{}'`,
        `actor_type = 'x'`,
        `actor_id = 'someone'`,
        `observed_at = observed_at + interval '1 ms'`,
        `recorded_at = recorded_at + interval '1 ms'`,
        `id = 'evd_' || id`,
      ],
    ],
    [
      'attempt_started',
      2,
      'UPDATE attempts SET # WHERE id = $A',
      ['number = 7', `kind = 'replay'`, `secret_versions = '{}'`, `started_at = started_at - interval '1 ms'`],
    ],
    ['attempt_claimed', 3, 'UPDATE attempts SET # WHERE id = $A', [`claimed_at = claimed_at + interval '1 ms'`]],
    [
      'attempt_ended',
      4,
      'UPDATE attempts SET # WHERE id = $A',
      [
        `status = 'abandoned'`,
        `observed_outcome = 'succeeded'`,
        `refusal = NULL`,
        `error = NULL`,
        `response = '{"status": 200}'`,
        `finished_at = finished_at + interval '1 ms'`,
      ],
    ],
    [
      'late_answer',
      5,
      'UPDATE late_answers SET # WHERE attempt_id = $A',
      [
        `observed_outcome = 'succeeded'`,
        'error = NULL',
        'response = NULL',
        `recorded_at = recorded_at + interval '1 ms'`,
      ],
    ],
    [
      'resolution',
      6,
      'UPDATE resolutions SET # WHERE effect_id = $E',
      [
        `outcome = 'succeeded'`,
        `previous_outcome = 'pending'`,
        `partial_effect = 'possible'`,
        `settled_impact = '[]'`,
        `summary = 'nothing'`,
        `provider_ids = '{}'`,
        `url = 'https://example.com'`,
        `resolved_by = '{}'`,
        `resolved_at = resolved_at + interval '1 ms'`,
      ],
    ],
  ] as const)('shows a changed %s, whichever member it is', async (kind, sequence, update, changes) => {
    for (const change of changes) {
      const effectId = await wholeEffect();
      await tamper(effectId, update.replace('#', change));
      const { brokenAt } = await stateOf(effectId);
      expect(brokenAt, change).toMatchObject({ sequence, problem: 'content', kind });
    }
  });

  test.each([
    ['evidence', 'DELETE FROM evidence WHERE effect_id = $E', { sequence: 1, problem: 'content' }],
    ['a resolution', 'DELETE FROM resolutions WHERE effect_id = $E', { sequence: 6, problem: 'content' }],
    [
      'a claim',
      `UPDATE attempts SET claimed_at = NULL, status = 'abandoned' WHERE id = $A`,
      { sequence: 3, problem: 'content' },
    ],
    [
      'evidence of another environment',
      `UPDATE evidence SET environment_id = '$OTHER' WHERE effect_id = $E`,
      { sequence: 1, problem: 'content' },
    ],
    [
      'an entry in the middle',
      'DELETE FROM receipt_entries WHERE effect_id = $E AND sequence = 3',
      { sequence: 4, problem: 'link' },
    ],
    [
      'the last entry',
      'DELETE FROM receipt_entries WHERE effect_id = $E AND sequence = 6',
      { sequence: 6, problem: 'end' },
    ],
    ['all entries', 'DELETE FROM receipt_entries WHERE effect_id = $E', { sequence: 6, problem: 'end' }],
    ['the end of the chain', 'DELETE FROM receipt_chains WHERE effect_id = $E', { sequence: 6, problem: 'end' }],
    [
      'entries and end',
      'WITH gone AS (DELETE FROM receipt_entries WHERE effect_id = $E) DELETE FROM receipt_chains WHERE effect_id = $E',
      { sequence: null, problem: 'unchained' },
    ],
    [
      'the last entry, with the end set back to the one before',
      `WITH gone AS (DELETE FROM receipt_entries WHERE effect_id = $E AND sequence = 6)
       UPDATE receipt_chains c SET sequence = 5, hash = (SELECT hash FROM receipt_entries r WHERE r.effect_id = $E AND r.sequence = 5) WHERE effect_id = $E`,
      { sequence: null, problem: 'unchained', kind: 'resolution' },
    ],
  ])('shows what was taken out: %s', async (_what, sql, brokenAt) => {
    const effectId = await wholeEffect();
    await tamper(effectId, sql.replace('$OTHER', database.tenants.production.environmentId));
    expect((await stateOf(effectId)).brokenAt).toMatchObject(brokenAt);
  });

  test('shows a record that was changed and hashed again by the entry that follows', async () => {
    const effectId = await wholeEffect();
    await tamper(effectId, `UPDATE evidence SET summary = 'another story' WHERE effect_id = $E`);
    await tamper(
      effectId,
      `UPDATE receipt_entries r SET hash = receipt_hash(r, (SELECT receipt_content(v) FROM evidence v WHERE v.id = r.record_id))
      WHERE effect_id = $E AND sequence = 1`,
    );
    expect((await stateOf(effectId)).brokenAt).toMatchObject({ sequence: 2, problem: 'link' });
  });

  test('shows evidence that was moved to another effect, on both', async () => {
    const [from, to] = [await wholeEffect(), await wholeEffect()];
    await tamper(from, `UPDATE evidence SET effect_id = '${to}' WHERE effect_id = $E`);
    expect((await stateOf(from)).brokenAt).toMatchObject({ sequence: 1, problem: 'content' });
    expect((await stateOf(to)).brokenAt).toMatchObject({ sequence: null, problem: 'unchained' });
  });
});

const RECEIPT_TABLES = ['evidence', 'attempts', 'late_answers', 'resolutions', 'receipt_entries', 'receipt_chains'];
const CHAINED_TABLES = [...RECEIPT_TABLES, 'audit_log', 'audit_chains'];

describe('what is chained', () => {
  test.each(CHAINED_TABLES)(
    '%s: no TRUNCATE, also none that comes from another table, not even by the superuser',
    async (table) => {
      await expect(owner.query(`TRUNCATE ${table} CASCADE`)).rejects.toThrow(/append-only/);
      await expect(owner.query('TRUNCATE workspaces CASCADE')).rejects.toThrow(/append-only/);
    },
  );

  test.each(CHAINED_TABLES)('%s: no TRUNCATE by its own trigger, whatever refers to it', async (table) => {
    const others = CHAINED_TABLES.filter((other) => other !== table);
    const disabled = others.map((other) => `ALTER TABLE ${other} DISABLE TRIGGER no_truncate`).join('; ');
    await owner.query(`BEGIN; ${disabled}`);
    try {
      await expect(owner.query(`TRUNCATE ${table} CASCADE`)).rejects.toThrow(/append-only/);
    } finally {
      await owner.query('ROLLBACK');
    }
  });

  test.each(CHAINED_TABLES)('%s: no DELETE, not even by the superuser', async (table) => {
    await wholeEffect();
    await expect(owner.query(`DELETE FROM ${table}`)).rejects.toThrow(/append-only|never deleted/);
  });

  test.each(['evidence', 'late_answers', 'resolutions', 'receipt_entries', 'audit_log'])(
    '%s: no UPDATE, not even by the superuser',
    async (table) => {
      await wholeEffect();
      await expect(owner.query(`UPDATE ${table} SET environment_id = environment_id`)).rejects.toThrow(/append-only/);
    },
  );

  test.each(['receipt_chains', 'audit_chains'])(
    '%s: the end moves on by one entry, and in no other way',
    async (table) => {
      await wholeEffect();
      for (const change of [
        'sequence = sequence - 1',
        'sequence = sequence',
        'sequence = sequence + 2',
        `sequence = sequence + 1, hash = NULL`,
      ]) {
        await expect(owner.query(`UPDATE ${table} SET ${change}`), change).rejects.toThrow(/append-only/);
      }
    },
  );

  test.each(['receipt_entries', 'receipt_chains'])('%s is written by triggers alone', async (table) => {
    const asApplication = (sql: string): Promise<unknown> =>
      database.db.withEnvironment(database.tenant, (tx) => tx.raw(null, sql));
    for (const sql of [
      `UPDATE ${table} SET hash = hash`,
      `DELETE FROM ${table}`,
      `INSERT INTO ${table} SELECT * FROM ${table}`,
    ]) {
      await expect(asApplication(sql), sql).rejects.toThrow(/permission denied/);
    }
    const call = `CALL append_receipt_entry('x', current_environment_id(), 'evidence', 'x', '{}')`;
    await expect(asApplication(call)).rejects.toThrow(/permission denied/);
  });
});

describe('a receipt outside of the service', () => {
  test('is text that a stranger computes as the database does', async () => {
    const values = [
      0,
      -0,
      1.5,
      -12.25,
      1e21,
      1.5e300,
      -1e-7,
      1.25e-10,
      123456789012345680000,
      5e-324,
      0.1,
      1e15,
      12e22,
      '',
      'a"b\\c',
      '\b\f\n\r\t\u0001\u001f\u007f',
      'ключ ü 🚀 \u2028',
      '</script>',
      '\ufeff',
      { b: 1, a: 2, aa: 3, é: 4, z: 5, '': 6, ключ: { '🚀': [], b: {} }, '\n': null },
      [[], {}, [null, true, false, [{ x: [1, 'two', 3e22] }]]],
    ];
    for (const value of values) {
      const { rows } = await owner.query<{ text: string }>('SELECT CAST(CAST($1 AS jsonb) AS text)', [
        JSON.stringify(value),
      ]);
      expect(canonicalText(value)).toBe(rows[0]?.text);
    }
  });
});

describe('append-only tables', () => {
  test.each(['evidence', 'action_versions'])('%s: no UPDATE or DELETE, not even by the superuser', async (table) => {
    await expect(owner.query(`UPDATE ${table} SET id = id`)).rejects.toThrow(/append-only/);
    await expect(owner.query(`DELETE FROM ${table}`)).rejects.toThrow(/append-only/);
    const asApplication = (sql: string): Promise<unknown> =>
      database.db.withEnvironment(database.tenant, (tx) => tx.raw(null, sql));
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
    await expect(update("observed_outcome = 'succeeded'")).rejects.toThrow(/attempts_end_at_once/);
    await update("status = 'completed', observed_outcome = 'succeeded', finished_at = now()");
    await expect(update("observed_outcome = 'failed'")).rejects.toThrow(/is closed/);
    await expect(owner.query(`DELETE ${attempt}`)).rejects.toThrow(/never deleted/);
  });
});
