import knex, { type Knex } from 'knex';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDefinition } from '../../../api/actions/definition.ts';
import { createAction } from '../../../db/actions/create-action.ts';
import { startDispatch } from '../../../db/attempts/start-dispatch.ts';
import { admitToBudget } from '../../../db/budgets/admit-to-budget.ts';
import { putBudget } from '../../../db/budgets/put-budget.ts';
import { Database, type EnvironmentTransaction, type Tenant } from '../../../db/client.ts';
import { writeSettlement } from '../../../db/effects/write-settlement.ts';
import { createWorkspace } from '../../../db/environments/create-workspace.ts';
import { createImpactLimit, type NewLimit } from '../../../db/impact-limits/create-impact-limit.ts';
import { listReservations } from '../../../db/impact-limits/list-reservations.ts';
import { reserveImpact } from '../../../db/impact-limits/reserve-impact.ts';
import { migrate } from '../../../db/migrate.ts';
import { MIGRATIONS, type Migration } from '../../../db/migrations/index.ts';
import { LIMIT_INVARIANTS } from '../../faults/invariants.ts';
import { plantApiKey } from '../api-keys/planted-rows.ts';
import { plantEffect } from '../effects/planted-rows.ts';
import { insert, withoutTriggers } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';
import { createPlainlyOwnedDatabase, type PlainlyOwnedDatabase } from './plain-owner.ts';

/** A database of the last release, with its rows, brought to the newest schema by an owner that row-level security binds. */

const LAST_RELEASED = '0013-expired-deduplications';

let database: PlainlyOwnedDatabase;
let db: Database;
let tenants: Tenant[];
/** By what each did before the upgrade; of the first workspace, but `elsewhere`. */
let keys: Record<'invoked' | 'published' | 'lastMonth' | 'idle' | 'elsewhere', string>;
let rows: Record<'ready' | 'unknown' | 'settled', { invocationId: string; effectId: string }>;

beforeAll(async () => {
  database = await createPlainlyOwnedDatabase();
  await migrateToLastRelease();
  db = new Database({ url: database.applicationUrl, applicationName: 'test' });
  await plant();
}, 60_000);

afterAll(async () => {
  await db?.close();
  await database?.close();
});

async function migrateToLastRelease(): Promise<void> {
  const released = MIGRATIONS.slice(0, MIGRATIONS.findIndex(({ name }) => name === LAST_RELEASED) + 1);
  const owner = knex({ client: 'pg', connection: database.ownerUrl });
  const migrationSource: Knex.MigrationSource<Migration> = {
    getMigrations: () => Promise.resolve([...released]),
    getMigrationName: ({ name }) => name,
    getMigration: ({ up }) => Promise.resolve({ up, down: () => Promise.reject(new Error('forward only')) }),
  };
  await owner.migrate.latest({ migrationSource, tableName: 'migrations' });
  await owner.destroy();
  const { username, password } = new URL(database.applicationUrl);
  await database.superuser.query(`CREATE ROLE ${username} LOGIN PASSWORD '${password}'`);
  await database.superuser.query(`GRANT service_app TO ${username}`);
}

async function plant(): Promise<void> {
  tenants = [];
  for (const name of ['One', 'Another']) {
    const { workspaceId, environments } = await createWorkspace(db, name, 'enterprise');
    tenants.push({ workspaceId, environmentId: environments[0]?.id ?? '' });
  }
  const [mine, other] = tenants as [Tenant, Tenant];
  keys = {
    invoked: await plantApiKey(database.superuser, mine),
    published: await plantApiKey(database.superuser, mine),
    lastMonth: await plantApiKey(database.superuser, mine),
    idle: await plantApiKey(database.superuser, mine),
    elsewhere: await plantApiKey(database.superuser, other),
  };
  const action = await makeAction(mine);
  rows = {
    ready: await plantGoverned(mine, action, { stage: 'ready' }),
    unknown: await plantGoverned(mine, action, {
      stage: 'reconciling',
      outcome: 'unknown',
      partial_effect: 'possible',
    }),
    settled: await plantGoverned(mine, action, {
      stage: 'settled',
      outcome: 'succeeded',
      outcome_source: 'provider_response',
      outcome_at: new Date(),
    }),
  };
  await plantUse(mine, action);
  await plantGoverned(other, await makeAction(other), { stage: 'ready' }, keys.elsewhere);
}

type Action = { actionId: string; versionId: string };

function makeAction(tenant: Tenant): Promise<Action> {
  const adapter = { type: 'http.request', config: { method: 'POST' as const, url: 'https://example.com/hook' } };
  const definition = buildDefinition({ adapter }, null, []);
  const version = { ...definition, createdBy: { type: 'api_key' as const, id: 'key_planted' }, changeNote: null };
  return db.withEnvironment(tenant, async (tx) => {
    const { environmentId } = tenant;
    const action = await createAction(tx, { environmentId, name: 'planted', description: null, version });
    return { actionId: action.id, versionId: action.currentVersion.id };
  });
}

const STATUSES: Record<string, string> = { ready: 'queued', reconciling: 'unknown', settled: 'succeeded' };

async function plantGoverned(
  tenant: Tenant,
  action: Action,
  place: { stage: string } & Record<string, unknown>,
  keyId = keys.invoked,
): Promise<{ invocationId: string; effectId: string }> {
  const { superuser } = database;
  return withoutTriggers(superuser, async () => {
    const invocationId = await plantInvocation(superuser, tenant, action);
    const impact = JSON.stringify([{ dimension: 'emails', amount: 2, bound: 'exact' }]);
    const effectId = await plantEffect(superuser, tenant, { invocationId, ...action }, { impact, ...place });
    await superuser.query(
      `UPDATE invocations SET effect_id = $2, status = $3, outcome_source = $4, requested_by = jsonb_build_object('type', 'api_key', 'id', $5::text)
       WHERE id = $1`,
      [invocationId, effectId, STATUSES[place.stage], place['outcome_source'] ?? null, keyId],
    );
    return { invocationId, effectId };
  });
}

/** A message of this month, and an invocation of the month before. */
async function plantUse(tenant: Tenant, action: Action): Promise<void> {
  const { superuser } = database;
  await insert(superuser, 'messages', {
    id: 'msg_planted',
    environment_id: tenant.environmentId,
    url: 'https://example.com/hook',
    method: 'POST',
    body_kind: 'none',
    max_retries: 5,
    timeout_seconds: 30,
    published_by: { type: 'api_key', id: keys.published },
    status: 'pending',
    next_attempt_at: new Date(),
  });
  await withoutTriggers(superuser, async () => {
    const invocationId = await plantInvocation(superuser, tenant, action);
    await superuser.query(
      `UPDATE invocations SET created_at = date_trunc('month', now(), 'UTC') - interval '1 second', requested_by = $2 WHERE id = $1`,
      [invocationId, { type: 'api_key', id: keys.lastMonth }],
    );
  });
}

function transaction<T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> {
  const [mine] = tenants as [Tenant];
  return db.withEnvironment(mine, work);
}

test('a database of the last release is brought to the newest, keeps its rows, and works on with them', async () => {
  const count = async (): Promise<unknown> =>
    (
      await database.superuser.query(
        `SELECT (SELECT count(*) FROM invocations) AS i, (SELECT count(*) FROM effects) AS e, (SELECT count(*) FROM messages) AS m`,
      )
    ).rows;
  const before = await count();
  const { ownerUrl, applicationUrl } = database;
  const { applied } = await migrate({ ownerUrl, applicationUrl });
  expect(applied.length).toBeGreaterThanOrEqual(6);
  expect(await count()).toEqual(before);

  // Whose use of this month was never counted: they are paused under a budget, and nobody else is.
  const { rows: unknown } = await database.superuser.query<{ api_key_id: string; environment_id: string }>(
    'SELECT api_key_id, environment_id FROM api_key_unknown_usage ORDER BY 1',
  );
  const [mine, other] = tenants.map(({ environmentId }) => environmentId);
  expect(unknown).toEqual(
    [
      { api_key_id: keys.invoked, environment_id: mine },
      { api_key_id: keys.published, environment_id: mine },
      { api_key_id: keys.elsewhere, environment_id: other },
    ].toSorted((left, right) => (left.api_key_id < right.api_key_id ? -1 : 1)),
  );
  await transaction(async (tx) => {
    for (const apiKeyId of [keys.invoked, keys.lastMonth]) await putBudget(tx, apiKeyId, { total: 1_000_000 });
  });
  const admit = (apiKeyId: string): Promise<void> =>
    transaction((tx) => admitToBudget(tx, { apiKeyId, kind: 'messages', count: 1 }));
  await expect(admit(keys.invoked)).rejects.toMatchObject({ code: 'BUDGET_RECONCILIATION_REQUIRED' });
  for (const apiKeyId of [keys.lastMonth, keys.idle, keys.published]) await admit(apiKeyId);

  // Work in flight is reserved, settled or left unchanged, as if it had begun on this schema.
  await transaction((tx) => createImpactLimit(tx, LIMIT));
  const reserved = await transaction(async (tx) => {
    const refusal = await reserveImpact(tx, { ...FACTS, effectId: rows.ready.effectId }, new Date());
    await startDispatch(tx, rows.ready.invocationId, []);
    return refusal;
  });
  expect(reserved).toBeNull();
  for (const { invocationId } of [rows.ready, rows.unknown]) {
    await transaction((tx) => writeSettlement(tx, invocationId, SUCCEEDED));
  }
  const reservations = await transaction((tx) =>
    listReservations(
      tx,
      Object.values(rows).map(({ effectId }) => effectId),
    ),
  );
  expect(reservations).toMatchObject([{ effectId: rows.ready.effectId, state: 'settled', settled: 2 }]);
  for (const sql of Object.values(LIMIT_INVARIANTS)) expect((await database.superuser.query(sql)).rows).toEqual([]);
});

const LIMIT: NewLimit = {
  name: 'emails',
  dimension: 'emails',
  currency: null,
  cap: 10,
  period: 'day',
  timezone: 'UTC',
  scope: {},
  thresholds: [],
};
const FACTS = {
  impact: [{ dimension: 'emails', amount: 2, bound: 'exact' as const }],
  actionName: 'planted',
  adapterType: 'http.request',
  apiKeyId: null,
  agentId: null,
  target: {},
};
const SUCCEEDED = {
  kind: 'known',
  stage: 'settled',
  outcome: 'succeeded',
  source: 'provider_lookup',
  partialEffect: 'none',
  error: null,
  abandon: null,
} as const;
