import { Client } from 'pg';
import type { Database, EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { findLiveLimits } from '../../db/impact-limits/allowances.ts';
import { reserveOrRefuse } from '../../db/impact-limits/reservations.ts';
import { demandsOn } from '../../domain/impact-limits/demand.ts';
import { newId } from '../../domain/ids.ts';

/** Each effect reserves this much and declares nothing else. */
const AMOUNT = 3;
const DIMENSION = 'refunds';
/** High enough that nothing is refused: the benchmark measures the reservation. */
const CAP = 1_000_000_000_000;

export interface Place {
  tenant: Tenant;
  /** Each has a limit of its own. */
  agents: { agentId: string; limitId: string }[];
}

/**
 * Makes limits of one dimension, each for one agent, and the bare side's tables with the same rows: no row-level security, no
 * foreign key, no trigger, and no index except the primary keys.
 */
export async function prepareSides(ownerUrl: string, tenants: readonly Tenant[], limitsEach: number): Promise<Place[]> {
  return asOwner(ownerUrl, async (owner) => {
    for (const table of ['impact_limits', 'impact_limit_periods', 'impact_reservations']) {
      await owner.query(`CREATE TABLE IF NOT EXISTS bare_${table} (LIKE ${table} INCLUDING DEFAULTS)`);
    }
    // The comparison leaves out the effect's own row with its indexes and its transition trigger: limits did not change them.
    await owner.query(`
      CREATE TABLE IF NOT EXISTS bare_effects (LIKE effects INCLUDING ALL);
      CREATE OR REPLACE TRIGGER check_move BEFORE INSERT OR UPDATE OR DELETE ON bare_effects
        FOR EACH ROW EXECUTE FUNCTION check_effect_move();`);
    await owner.query(`
      CREATE UNIQUE INDEX IF NOT EXISTS bare_limits_key ON bare_impact_limits (id);
      CREATE UNIQUE INDEX IF NOT EXISTS bare_periods_key ON bare_impact_limit_periods (limit_id, period);
      CREATE UNIQUE INDEX IF NOT EXISTS bare_reservations_key ON bare_impact_reservations (id);
      ALTER TABLE bare_impact_limit_periods SET (fillfactor = 50);
      GRANT SELECT, INSERT, UPDATE ON bare_impact_limits, bare_impact_limit_periods, bare_impact_reservations, bare_effects TO service_app;`);
    const places: Place[] = [];
    for (const [number, tenant] of tenants.entries()) {
      const agents = Array.from({ length: limitsEach }, (_, at) => ({
        agentId: `agent-${number}-${at}`,
        limitId: newId('impactLimit'),
      }));
      for (const { agentId, limitId } of agents) await insertLimit(owner, tenant, agentId, limitId);
      places.push({ tenant, agents });
    }
    await owner.query('INSERT INTO bare_impact_limits SELECT * FROM impact_limits ON CONFLICT DO NOTHING');
    await owner.query(
      `INSERT INTO impact_limit_periods (limit_id, period, environment_id) SELECT id, 'lifetime', environment_id FROM impact_limits
       ON CONFLICT DO NOTHING`,
    );
    await owner.query(
      `INSERT INTO bare_impact_limit_periods (limit_id, period, environment_id) SELECT id, 'lifetime', environment_id FROM impact_limits
       ON CONFLICT DO NOTHING`,
    );
    await owner.query('ANALYZE');
    return places;
  });
}

async function insertLimit(owner: Client, tenant: Tenant, agentId: string, limitId: string): Promise<void> {
  await owner.query(
    `INSERT INTO impact_limits (id, environment_id, name, dimension, cap, period, timezone, scope, thresholds)
     VALUES ($1, $2, $3, $4, $5, 'lifetime', 'UTC', $6, '{80,100}')`,
    [limitId, tenant.environmentId, agentId, DIMENSION, CAP, JSON.stringify({ agentIds: [agentId] })],
  );
}

const EFFECT_COLUMNS = `id, environment_id, invocation_id, operation_key, action_name, version_id, adapter_type, adapter_version,
  capabilities, target, request, request_digest, impact, stage`;

/** Makes effects that are ready to be dispatched, for both sides. Returns their ids. */
export async function prepareEffects(ownerUrl: string, tenant: Tenant, count: number): Promise<string[]> {
  return asOwner(ownerUrl, async (owner) => {
    const ids = Array.from({ length: count }, () => newId('effect'));
    await owner.query(
      `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by)
       SELECT 'inv' || substr(e.id, 4), a.environment_id, a.id, a.current_version_id, e.id, 'sha256:bench', '{}', '{}'
       FROM unnest($2::text[]) e (id), (SELECT * FROM actions WHERE environment_id = $1 LIMIT 1) a`,
      [tenant.environmentId, ids],
    );
    await owner.query(
      `INSERT INTO effects (${EFFECT_COLUMNS})
       SELECT operation_key, environment_id, id, operation_key, 'bench', version_id, 'http.request', '1', '{}', '{}', '{}',
         'sha256:bench', '[]', 'ready' FROM invocations WHERE operation_key = ANY($1::text[])`,
      [ids],
    );
    await owner.query(
      `INSERT INTO bare_effects (${EFFECT_COLUMNS}) SELECT ${EFFECT_COLUMNS} FROM effects WHERE id = ANY($1::text[])`,
      [ids],
    );
    await owner.query('ANALYZE'); // as autovacuum would have done by then
    return ids;
  });
}

export interface Work {
  tenant: Tenant;
  effectId: string;
  agentId: string;
  limitId: string;
}

/** What a dispatch does that waits for nothing: it finds the limits, and then updates the effect's row and reserves in the packet that commits. */
export function reserveGoverned(db: Database, work: Work): Promise<void> {
  return db.withEnvironment(work.tenant, async (tx) => {
    const { effectId, agentId } = work;
    const facts = {
      actionName: 'bench',
      adapterType: 'http.request',
      apiKeyId: 'key_bench',
      target: {},
      agentId,
      impact: [{ dimension: DIMENSION, amount: AMOUNT, bound: 'exact' as const }],
    };
    const { demands } = demandsOn(await findLiveLimits(tx, facts), facts);
    if (demands.length !== 1) throw new Error(`${demands.length} limits apply`);
    await tx.last(
      () => markDispatched(tx, 'effects', effectId),
      () => reserveOrRefuse(tx, effectId, demands, new Date()),
    );
  });
}

/**
 * What one would write by hand if the limit is known: increase the counter if the cap leaves room, check that it did, and
 * then send the reservation and the mark in the packet that commits.
 */
export function reserveBare(db: Database, work: Work): Promise<void> {
  return db.withEnvironment(work.tenant, async (tx) => {
    const { limitId, effectId, tenant } = work;
    const bindings = {
      limitId,
      effectId,
      id: newId('reservation'),
      environmentId: tenant.environmentId,
      amount: AMOUNT,
    };
    const { rowCount } = await tx.raw<{ rowCount: number }>(
      null,
      `UPDATE bare_impact_limit_periods p SET reserved = reserved + :amount FROM bare_impact_limits l
       WHERE l.id = :limitId AND p.limit_id = l.id AND p.period = 'lifetime' AND p.reserved + p.settled + :amount <= l.cap`,
      bindings,
    );
    if (rowCount !== 1) throw new Error('the bare side reserved nothing');
    await tx.last(
      () =>
        tx.raw(
          null,
          `INSERT INTO bare_impact_reservations (id, environment_id, effect_id, limit_id, period, amount)
           VALUES (:id, :environmentId, :effectId, :limitId, 'lifetime', :amount)`,
          bindings,
        ),
      () => markDispatched(tx, 'bare_effects', effectId),
    );
  });
}

async function markDispatched(
  tx: EnvironmentTransaction,
  table: 'effects' | 'bare_effects',
  id: string,
): Promise<void> {
  await tx.raw(
    null,
    `UPDATE ${table} SET stage = 'dispatching', outcome = 'pending', updated_at = now() WHERE id = ?`,
    [id],
  );
}

/** Checks that both sides hold the expected rows; otherwise the results would be wrong. */
export async function checkCounts(ownerUrl: string, expected: Record<'governed' | 'bare', number>): Promise<void> {
  await asOwner(ownerUrl, async (owner) => {
    for (const [side, prefix] of [
      ['governed', ''],
      ['bare', 'bare_'],
    ] as const) {
      const { rows } = await owner.query<{ reserved: string; reservations: string }>(
        `SELECT (SELECT COALESCE(sum(reserved), 0) FROM ${prefix}impact_limit_periods) AS reserved,
           (SELECT count(*) FROM ${prefix}impact_reservations) AS reservations`,
      );
      const [found] = rows;
      if (Number(found?.reservations) !== expected[side] || Number(found?.reserved) !== expected[side] * AMOUNT) {
        throw new Error(
          `${side}: ${expected[side]} reservations were made, and the tables say ${JSON.stringify(found)}`,
        );
      }
    }
  });
}

async function asOwner<T>(ownerUrl: string, work: (owner: Client) => Promise<T>): Promise<T> {
  const owner = new Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}
