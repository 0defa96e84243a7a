import type { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { invocationCondition, type InvocationFilter, listInvocations } from '../../../db/invocations/queries.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { type PlantedAction, plantAction } from '../actions/planted-rows.ts';

/** The filters of the list of invocations in a large environment: what they find, and which index serves them. */

const INVOCATIONS = 30_000;
const ACTIONS = 20;
const EACH = 500; // one in so many names an agent or a run
const FIRST_AT = new Date('2026-01-01T00:00:00.000Z');

let database: TestDatabase;
let owner: Client;
let actions: PlantedAction[];

beforeAll(async () => {
  database = await createTestDatabase();
  owner = await database.connectOwner();
  actions = [];
  for (let count = 0; count < ACTIONS; count++) actions.push(await plantAction(owner, database.tenant));
  await owner.query(`SET session_replication_role = 'replica'`);
  await owner.query(
    `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by, agent_id, run_id, created_at)
     SELECT 'inv_list' || lpad(n::text, 18, '0'), $1, ($2::text[])[1 + n % $3], 'ver_none', 'key-' || n, 'sha256:planted', '{}', '{}',
       CASE WHEN n % $4 = 0 THEN 'agent' END, CASE WHEN n % $4 = 1 THEN 'run_list' END, $5::timestamptz + n * interval '1 minute'
     FROM generate_series(1, $6::int) n`,
    [database.tenant.environmentId, actions.map(({ actionId }) => actionId), ACTIONS, EACH, FIRST_AT, INVOCATIONS],
  );
  await owner.query('VACUUM ANALYZE invocations');
});

function list(filter: Partial<InvocationFilter>): ReturnType<typeof listInvocations> {
  return database.db.withEnvironment(database.tenant, (tx) => listInvocations(tx, { limit: 5, offset: 0, ...filter }));
}

const minute = (count: number): Date => new Date(FIRST_AT.getTime() + count * 60_000);
const idOf = (count: number): string => `inv_list${String(count).padStart(18, '0')}`;

describe('finds', () => {
  test.each<[string, () => Partial<InvocationFilter>, number, string]>([
    ['an operation key', () => ({ operationKey: 'key-77' }), 1, idOf(77)],
    ['an agent', () => ({ agentId: 'agent' }), INVOCATIONS / EACH, idOf(INVOCATIONS)],
    ['a run', () => ({ runId: 'run_list' }), INVOCATIONS / EACH, idOf(INVOCATIONS - EACH + 1)],
    [
      'an action by its id',
      () => ({ action: actions[3]?.actionId }),
      INVOCATIONS / ACTIONS,
      idOf(INVOCATIONS - ACTIONS + 3),
    ],
    ['from a time on', () => ({ from: minute(INVOCATIONS - 9) }), 10, idOf(INVOCATIONS)],
    ['until a time, without it', () => ({ to: minute(3) }), 2, idOf(2)],
    ['all of them together', () => ({ agentId: 'agent', from: minute(EACH), to: minute(EACH + 1) }), 1, idOf(EACH)],
    ['nothing of another', () => ({ agentId: 'another' }), 0, ''],
    ['nothing of an action that is not there', () => ({ action: 'not-there' }), 0, ''],
  ])('%s', async (_, filter, total, newest) => {
    const found = await list(filter());
    expect([found.total, found.items[0]?.id ?? '']).toEqual([total, newest]);
  });

  test('by a name what the archived and the live action of that name did', async () => {
    const [first, second] = actions;
    const { rows } = await owner.query<{ name: string }>('SELECT name FROM actions WHERE id = $1', [first?.actionId]);
    await owner.query('UPDATE actions SET archived_at = now() WHERE id = $1', [first?.actionId]);
    await owner.query('UPDATE actions SET name = $1 WHERE id = $2', [rows[0]?.name, second?.actionId]);
    expect((await list({ action: rows[0]?.name })).total).toBe((2 * INVOCATIONS) / ACTIONS);
  });
});

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** The index of each node, and "seq scan" where a node reads the whole table. */
function readsOf(plan: Plan): string[] {
  const own = plan['Index Name'] ?? (plan['Node Type'] === 'Seq Scan' ? `seq scan of ${plan['Relation Name']}` : null);
  return [...(own === null ? [] : [own]), ...(plan.Plans ?? []).flatMap(readsOf)];
}

describe('is served by an index, under row-level security', () => {
  test.each<[string, () => Parameters<typeof invocationCondition>[0], string]>([
    ['no filter', () => ({}), 'invocations_newest_first'],
    ['an operation key', () => ({ operationKey: 'key-77' }), 'invocations_environment_id_operation_key_key'],
    ['an agent', () => ({ agentId: 'agent' }), 'invocations_by_agent'],
    ['a run', () => ({ runId: 'run_list' }), 'invocations_by_run'],
    ['an action', () => ({ actionId: actions[3]?.actionId }), 'invocations_by_action'],
    ['a time', () => ({ from: minute(10), to: minute(30) }), 'invocations_newest_first'],
    ['an agent since a time', () => ({ agentId: 'agent', from: minute(10) }), 'invocations_by_agent'],
  ])('%s', async (_, values, index) => {
    const bindings = values();
    const page = `SELECT i.id FROM invocations i WHERE ${invocationCondition(bindings)} ORDER BY i.created_at DESC, i.id DESC LIMIT 20`;
    const [row] = await database.db.withEnvironment(database.tenant, async (tx) => {
      const { rows } = await tx.raw<{ rows: { 'QUERY PLAN': { Plan: Plan }[] }[] }>(
        null,
        `EXPLAIN (FORMAT JSON) ${page}`,
        bindings,
      );
      return rows;
    });
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    if (plan === undefined) throw new Error('no plan was shown');
    expect(readsOf(plan)).toEqual([index]);
  });
});
