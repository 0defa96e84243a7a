import { describe, expect, test } from 'vitest';
import { archiveInvocations, listCandidates } from '../../../db/archive/archiving.ts';
import { Database, type EnvironmentTransaction, type Tenant } from '../../../db/client.ts';
import { admitInvocation } from '../../../db/invocations/admission.ts';
import { getInvocation } from '../../../db/invocations/queries.ts';
import { itemsOf, membersOf, objectOf } from '../../../domain/archive/jsonb-text.ts';
import { newId } from '../../../domain/ids.ts';
import { closesWithFile } from '../../harness/closes-with-file.ts';
import { RECORD_TABLES } from '../../embedded/archive/aged.ts';
import { plantAction } from '../actions/planted-rows.ts';
import { plantAttempt } from '../attempts/planted-rows.ts';
import { plantEffect } from '../effects/planted-rows.ts';
import { plantRows } from '../tenancy/planted-rows.ts';
import { DIGEST, insert, type Values, withoutTriggers } from '../harness/plant.ts';
import { startPlantedDatabase } from '../harness/planted-database.ts';

/** What the database lets leave, and by whom: docs/adr/0022. As the superuser, whom no right and no policy stops. */

const world = await startPlantedDatabase();
const { database, owner, planted } = world;
const { tenant } = database;
const asOwner = new Database({ url: database.ownerUrl, applicationName: 'archive', poolMax: 2 });
closesWithFile(() => asOwner.close());

const ago = (days: number): Date => new Date(Date.now() - days * 86_400_000);
const ENDED = { status: 'succeeded', outcome_source: 'provider_response' };
const archiveOf = (of: Tenant): string => `${of.environmentId}/2024-01-1`;

/** A plain invocation that succeeded 500 days ago, unless `over` says otherwise. */
async function plant(over: Values = {}, of = { tenant, ...planted }): Promise<string> {
  const id = newId('invocation');
  await withoutTriggers(owner, () =>
    insert(owner, 'invocations', {
      id,
      environment_id: of.tenant.environmentId,
      action_id: of.actionId,
      version_id: of.versionId,
      operation_key: `key of ${id}`,
      request_digest: DIGEST,
      input: {},
      requested_by: {},
      ...ENDED,
      created_at: ago(501),
      settled_at: ago(500),
      updated_at: ago(500),
      ...over,
    }),
  );
  return id;
}

/** The same with an effect, whose dispatch succeeded. */
async function plantGoverned(over: Values = {}): Promise<{ id: string; effectId: string }> {
  const id = await plant();
  const effectId = await withoutTriggers(owner, async () => {
    const planting = { invocationId: id, versionId: planted.versionId };
    const effect = await plantEffect(owner, tenant, planting, {
      stage: 'settled',
      outcome: 'succeeded',
      outcome_source: 'provider_response',
      outcome_at: ago(500),
      created_at: ago(501),
      updated_at: ago(500),
      ...over,
    });
    await owner.query('UPDATE invocations SET effect_id = $1 WHERE id = $2', [effect, id]);
    return effect;
  });
  return { id, effectId };
}

async function digestOf(id: string): Promise<string> {
  const { rows } = await owner.query<{ digest: string }>(
    'SELECT receipt_digest(archive_record(i)) AS digest FROM invocations i WHERE id = $1',
    [id],
  );
  return rows[0]?.digest ?? 'none';
}

async function archive(ids: readonly string[], of = tenant): Promise<void> {
  const lines = await Promise.all(ids.map(async (id) => ({ id, sha256: await digestOf(id) })));
  await asOwner.withEnvironment(of, (tx) => archiveInvocations(tx, archiveOf(of), lines));
}

const isThere = async (id: string): Promise<boolean> =>
  (await owner.query('SELECT FROM invocations WHERE id = $1', [id])).rowCount === 1;

const inEnvironment = <T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> =>
  database.db.withEnvironment(tenant, work);

describe('an old invocation at rest', () => {
  test('leaves by the function of the archive, and its key stays', async () => {
    const { id, effectId } = await plantGoverned();
    await archive([id]);
    expect(await isThere(id)).toBe(false);
    const { rows } = await owner.query('SELECT * FROM operation_keys WHERE invocation_id = $1', [id]);
    expect(rows).toMatchObject([
      {
        environment_id: tenant.environmentId,
        operation_key: `key of ${id}`,
        effect_id: effectId,
        request_digest: DIGEST,
        status: 'succeeded',
        grade: 'acknowledged',
        archive: archiveOf(tenant),
      },
    ]);
  });

  test('leaves together with those that refer to it', async () => {
    const { id, effectId } = await plantGoverned();
    const retry = await plant({ retry_of: id });
    const dependent = await plant({ compensates: effectId });
    await withoutTriggers(owner, () =>
      insert(owner, 'effect_dependencies', {
        invocation_id: dependent,
        environment_id: tenant.environmentId,
        depends_on: effectId,
        position: 1,
      }),
    );
    await archive([retry, id, dependent]);
    expect(await Promise.all([id, retry, dependent].map(isThere))).toEqual([false, false, false]);
  });

  test.each<[string, (id: string, effectId: string) => Promise<unknown>]>([
    ['a retry', (id) => plant({ retry_of: id })],
    ['a compensation', (_id, effectId) => plant({ compensates: effectId })],
    ['an effect that compensates', (_id, compensates) => plantGoverned({ compensates })],
  ])('stays while %s refers to it, and says so', async (_what, refer) => {
    const { id, effectId } = await plantGoverned();
    await refer(id, effectId);
    await expect(archive([id])).rejects.toThrow(/violates foreign key constraint/);
    const candidate = (await candidates()).find((one) => one.id === id);
    expect(candidate).toMatchObject({ refusal: null, referrers: [expect.stringMatching(/^inv_/)] });
    expect(await isThere(id)).toBe(true);
  });

  test('stays where its record is not what the caller has read back', async () => {
    const id = await plant();
    const line = { id, sha256: await digestOf(id) };
    await withoutTriggers(owner, () => owner.query(`UPDATE invocations SET run_id = 'run_1' WHERE id = $1`, [id]));
    await expect(
      asOwner.withEnvironment(tenant, (tx) => archiveInvocations(tx, archiveOf(tenant), [line])),
    ).rejects.toThrow(/is not what the archive says/);
    expect(await isThere(id)).toBe(true);
  });

  test('stays where it is of another environment than the transaction', async () => {
    const { staging } = database.tenants;
    const id = await plant({}, { tenant: staging, ...(await plantAction(owner, staging)) });
    expect((await candidates()).map((one) => one.id)).not.toContain(id);
    await expect(archive([id])).rejects.toThrow(/is not what the archive says/);
    await archive([id], staging);
    expect(await isThere(id)).toBe(false);
  });
});

const candidates = () =>
  asOwner.withEnvironment(tenant, (tx) => listCandidates(tx, { before: ago(400), behind: null, most: 1_000 }));

describe('what may not leave', () => {
  const environment_id = tenant.environmentId;
  const REFUSED = { refusal_code: 'planted', refusal_details: {} };
  test.each<[string, string, () => Promise<string>]>([
    ['ended 399 days ago', 'too_young', () => plant({ settled_at: ago(399) })],
    ['was changed 399 days ago', 'too_young', () => plant({ updated_at: ago(399) })],
    ['is unknown', 'not_at_rest', () => plant({ status: 'unknown', outcome_source: null, ...REFUSED })],
    ['is queued', 'not_at_rest', () => plant({ status: 'queued', outcome_source: null })],
    ['has not settled', 'not_at_rest', () => plant({ settled_at: null })],
    [
      'has an effect under reconciliation',
      'not_at_rest',
      async () => (await plantGoverned({ stage: 'reconciling', outcome: 'unknown' })).id,
    ],
    [
      'has an effect that is read again',
      'not_at_rest',
      async () => (await plantGoverned({ reconcile_next_at: ago(450) })).id,
    ],
    [
      'has an effect that was known 399 days ago',
      'too_young',
      async () => (await plantGoverned({ known_at: ago(399) })).id,
    ],
    [
      'has an open attempt',
      'not_at_rest',
      async () => {
        const id = await plant();
        await withoutTriggers(owner, () => plantAttempt(owner, tenant, id));
        return id;
      },
    ],
    [
      'has a workflow that is to run',
      'not_at_rest',
      async () => {
        const id = await plant();
        await insert(owner, 'workflow_starts', { id, environment_id, kind: 'invocation', due_at: ago(450) });
        return id;
      },
    ],
    [
      'holds a budget',
      'reserved',
      async () => {
        const invocation_id = await plant();
        const of = { invocation_id, environment_id, api_key_id: 'key_1', month: '2024-01-01', amount: 1 };
        await withoutTriggers(owner, () => insert(owner, 'budget_reservations', of));
        return invocation_id;
      },
    ],
    [
      'holds an impact limit',
      'reserved',
      async () => {
        const { id, effectId } = await plantGoverned();
        const of = {
          id: newId('reservation'),
          environment_id,
          effect_id: effectId,
          limit_id: 'lim_1',
          period: 'lifetime',
        };
        await withoutTriggers(owner, () => insert(owner, 'impact_reservations', { ...of, amount: 1 }));
        return id;
      },
    ],
    [
      'has a note of 399 days ago',
      'too_young',
      async () => {
        const { id, effectId } = await plantGoverned();
        const note = { source: 'operator_note', summary: 'noted', actor_type: 'user', observed_at: ago(450) };
        await withoutTriggers(owner, () =>
          insert(owner, 'evidence', {
            id: newId('evidence'),
            environment_id,
            effect_id: effectId,
            ...note,
            recorded_at: ago(399),
          }),
        );
        return id;
      },
    ],
  ])('an invocation that %s', async (_what, refusal, make) => {
    const id = await make();
    await expect(archive([id])).rejects.toThrow(`is not archived: ${refusal}`);
    expect((await candidates()).find((one) => one.id === id)).toMatchObject({ refusal });
    expect(await isThere(id)).toBe(true);
  });

  test('an invocation of a month that is not closed', async () => {
    const { workspaceId } = tenant;
    const id = await plant();
    await owner.query(`UPDATE workspaces SET created_at = now() - interval '600 days' WHERE id = $1`, [workspaceId]);
    await expect(archive([id])).rejects.toThrow('is not archived: month_not_closed');
    await owner.query(
      `INSERT INTO billing_months (workspace_id, month, plan, quantities, closed_at)
       VALUES ($1, date_trunc('month', now() - interval '500 days'), 'free', '{}', now())`,
      [workspaceId],
    );
    await archive([id]);
    expect(await isThere(id)).toBe(false);
  });
});

describe('nobody else', () => {
  test('of the application archives, or writes a key', async () => {
    const id = await plant();
    const line = { id, sha256: await digestOf(id) };
    await expect(inEnvironment((tx) => archiveInvocations(tx, archiveOf(tenant), [line]))).rejects.toThrow(
      /permission denied/,
    );
    for (const statement of [
      'DELETE FROM operation_keys',
      `UPDATE operation_keys SET archive = ''`,
      'INSERT INTO operation_keys DEFAULT VALUES',
    ]) {
      await expect(inEnvironment((tx) => tx.raw(null, statement))).rejects.toThrow(/permission denied/);
    }
    await expect(inEnvironment((tx) => tx.raw(null, 'DELETE FROM invocations WHERE id = ?', [id]))).rejects.toThrow(
      /stays/,
    );
  });

  test('deletes a row of a record, the owner neither', async () => {
    const { production } = database.tenants;
    await plantRows(owner, production);
    const { workspaceId: workspace_id, environmentId: environment_id } = production;
    const late = { invocation_id: 'inv_1', kind: 'settled', workspace_id, environment_id, admitted_at: ago(1) };
    await withoutTriggers(owner, () => insert(owner, 'late_executions', { ...late, settled_at: ago(1), at: ago(1) }));
    const kept = RECORD_TABLES.filter((table) => !['previews', 'chat_posts', 'effect_dependencies'].includes(table));
    const refused: Record<string, string> = {};
    for (const table of kept) {
      refused[table] = await owner.query(`DELETE FROM ${table}`).then(
        ({ rowCount }) => `deleted ${rowCount}`,
        (error: unknown) => String(error),
      );
    }
    const REFUSAL = expect.stringMatching(/never deleted|append-only|has begun and stays/) as string;
    expect(refused).toEqual(Object.fromEntries(kept.map((table) => [table, REFUSAL])));
  });

  test('keeps a key without an archival: the owner neither', async () => {
    const id = await plant();
    const insertKey = `INSERT INTO operation_keys (environment_id, invocation_id, archive) VALUES ('${tenant.environmentId}', '${id}', '${archiveOf(tenant)}')`;
    await expect(owner.query(insertKey)).rejects.toThrow(/was archived and is still there/);
    await expect(owner.query(insertKey.replaceAll(id, newId('invocation')))).rejects.toThrow(
      /is not there to be archived/,
    );
    await expect(owner.query(`UPDATE operation_keys SET operation_key = 'another'`)).rejects.toThrow(/append-only/);
    await expect(owner.query('DELETE FROM operation_keys')).rejects.toThrow(/append-only/);
    await expect(owner.query('TRUNCATE operation_keys')).rejects.toThrow(/append-only/);
  });

  test('names an effect that is not of the invocation', async () => {
    const { effectId } = await plantGoverned();
    const id = await plant();
    await expect(owner.query('UPDATE invocations SET effect_id = $1 WHERE id = $2', [effectId, id])).rejects.toThrow(
      /is no effect of invocation/,
    );
  });
});

describe('the key of an archived invocation', () => {
  const admission = (operationKey: string) => ({
    actionId: planted.actionId,
    versionId: planted.versionId,
    operationKey,
    requestDigest: DIGEST,
    input: {},
    requestedBy: { type: 'api_key', id: 'key_1' } as const,
    retryOf: null,
    runId: null,
    agentId: null,
  });

  test('is refused to an admission, and by the database to a row that is inserted by hand', async () => {
    const id = await plant();
    await archive([id]);
    const repeat = { ...admission(`key of ${id}`) };
    await expect(inEnvironment((tx) => admitInvocation(tx, repeat))).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { invocationId: id, archive: archiveOf(tenant) },
    });
    const other = { ...repeat, requestDigest: `sha256:${'1'.repeat(64)}` };
    await expect(inEnvironment((tx) => admitInvocation(tx, other))).rejects.toMatchObject({
      code: 'OPERATION_KEY_REUSE',
      details: { invocationId: id },
    });
    await expect(
      owner.query(
        `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by)
         VALUES ('${newId('invocation')}', $1, $2, $3, $4, 'another', '{}', '{}')`,
        [tenant.environmentId, planted.actionId, planted.versionId, `key of ${id}`],
      ),
    ).rejects.toThrow(`belongs to ${id}, which is archived`);
  });

  test('is refused to an admission that waited for the archival', async () => {
    const id = await plant();
    const lines = [{ id, sha256: await digestOf(id) }];
    let repeated: Promise<unknown> = Promise.resolve();
    await asOwner.withEnvironment(tenant, async (tx) => {
      await archiveInvocations(tx, archiveOf(tenant), lines);
      repeated = inEnvironment((other) => admitInvocation(other, admission(`key of ${id}`))).catch(
        (error: unknown) => error,
      );
      await expect.poll(() => database.lockWaits('%admit_invocation%')).toBe(1);
    });
    expect(await repeated).toMatchObject({ code: 'CONFLICT', details: { invocationId: id } });
    expect(await owner.query('SELECT FROM invocations WHERE operation_key = $1', [`key of ${id}`])).toMatchObject({
      rowCount: 0,
    });
  });

  test('is not taken at a level at which a later archival would not be seen', async () => {
    await owner.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    try {
      await expect(
        owner.query(
          `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by)
           VALUES ('${newId('invocation')}', $1, $2, $3, 'another key', '', '{}', '{}')`,
          [tenant.environmentId, planted.actionId, planted.versionId],
        ),
      ).rejects.toThrow(/READ COMMITTED/);
    } finally {
      await owner.query('ROLLBACK');
    }
  });

  test('is free in another environment', async () => {
    const id = await plant();
    await archive([id]);
    const { staging } = database.tenants;
    const action = await plantAction(owner, staging);
    const { actionId, versionId } = action;
    const admitted = await database.db.withEnvironment(staging, async (tx) => {
      const { id: made } = await admitInvocation(tx, { ...admission(`key of ${id}`), actionId, versionId });
      return getInvocation(tx, made);
    });
    expect(admitted).toMatchObject({ operationKey: `key of ${id}` });
  });
});

test('an archive holds every table that refers to an invocation, an effect, an attempt or an approval', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT DISTINCT k.conrelid::regclass::text AS name FROM pg_constraint k WHERE k.contype = 'f'
     AND k.confrelid = ANY (ARRAY['invocations', 'effects', 'attempts', 'approvals', 'previews']::regclass[])`,
  );
  // A hold ends with its invocation, and a preview that is used is no unused one.
  const NOT_THERE = ['file_holds', 'unused_previews'];
  expect(
    rows
      .map(({ name }) => name)
      .filter((name) => !NOT_THERE.includes(name) && !(RECORD_TABLES as readonly string[]).includes(name)),
  ).toEqual([]);
  const id = await plant();
  const { rows: records } = await owner.query<{ record: object }>(
    'SELECT archive_record(i) AS record FROM invocations i WHERE id = $1',
    [id],
  );
  expect(Object.keys(records[0]?.record ?? {}).toSorted()).toEqual([...RECORD_TABLES].toSorted());
});

test('parts of a jsonb value are read as PostgreSQL prints them', async () => {
  const value = `{"b": [1, {"x": "a, \\"b\\": {"}], "aa": 12345678901234567890.10, "": null, "ü": "\\u2028\\n", "c": {}, "d": []}`;
  const { rows } = await owner.query<{ text: string }>('SELECT $1::jsonb::text AS text', [value]);
  const [{ text }] = rows as [{ text: string }];
  const members = membersOf(text);
  expect(members.get('aa')).toBe('12345678901234567890.10');
  expect(itemsOf(members.get('b') ?? '').map((item) => JSON.parse(item) as unknown)).toEqual([1, { x: 'a, "b": {' }]);
  expect([itemsOf('[]'), itemsOf('null'), [...membersOf('{}')]]).toEqual([[], [], []]);
  expect(objectOf(Object.fromEntries(members))).toBe(text);
});
