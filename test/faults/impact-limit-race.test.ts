import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeSettlement } from '../../db/effects/settlement.ts';
import { Program } from '../harness/embedded-stack.ts';
import { LimitWorld } from '../db/impact-limits/world.ts';
import { inForm } from './form.ts';
import { LIMIT_INVARIANTS, violatedInvariants } from './invariants.ts';

/**
 * Many processes reserve against one limit, and some are killed with SIGKILL in the middle. The cap must hold at every commit,
 * and nothing may leak once all effects are settled.
 */
const EFFECTS = inForm({ short: 1_000, full: 10_000 });
const PROCESSES = 4;
const LANES = 4;
const KILLS = inForm({ short: 3, full: 6 });
/** About half of the total demand of all effects, some of which fail and release their reservation. */
const CAP = 0.9 * EFFECTS;
const TIMEOUT_MS = 600_000;
/** The pause between two checks: the checker must leave the processors to the processes that it watches. */
const CHECK_INTERVAL_MS = inForm({ short: 25, full: 250 });

let world: LimitWorld;
let checker: Checker | null = null;
const programs: Program[] = [];

beforeAll(async () => {
  // Built once here, not by each process.
  const prepared = new Program(
    ['-e', "import('./embedded/prepare.mjs').then((prepare) => prepare.prepareOrExit())"],
    {},
  );
  if ((await prepared.exited) !== 0) throw new Error(prepared.output);
  world = await LimitWorld.start();
}, TIMEOUT_MS);

afterAll(async () => {
  // A test that failed has not stopped it, and the test says why it failed.
  await checker?.stop().catch(() => undefined);
  await Promise.all(programs.map((program) => program.end('SIGKILL')));
}, TIMEOUT_MS);

test(
  `${EFFECTS} reservations against one limit, ${KILLS} workers killed: never over the cap, and nothing leaks`,
  { timeout: TIMEOUT_MS },
  async () => {
    const limitId = await world.makeLimit({ dimension: 'refunds', cap: CAP, thresholds: [50, 100] });
    await plantEffects();
    await watchEveryVersion();
    checker = startChecker(limitId);

    const shares = Array.from({ length: PROCESSES }, (_, share) => startProcess(share));
    for (let kill = 1; kill <= KILLS; kill++) {
      await untilBegun((EFFECTS * kill) / (KILLS + 1));
      const share = kill % PROCESSES;
      await shares[share]?.end('SIGKILL');
      shares[share] = startProcess(share);
    }
    // A process killed after its last effect leaves unfinished work, which another takes over.
    for (const program of shares) expect(await program.exited, program.output).toBe(0);
    const last = startProcess(0, 1);
    expect(await last.exited, last.output).toBe(0);
    const { checks, most } = await checker.stop();

    // Checked over the whole run: every version of the counter ever written, and every snapshot of the checker.
    const [seen] = await world.database.asOwner<{ most: string; versions: string }>('SELECT * FROM seen_versions');
    expect(Number(seen?.most)).toBeLessThanOrEqual(CAP);
    expect(Number(seen?.most), 'the limit was really reached').toBeGreaterThan(CAP - 3);
    expect(Number(seen?.versions)).toBeGreaterThan(EFFECTS / 2);
    expect(most).toBeLessThanOrEqual(CAP);
    expect(checks).toBeGreaterThan(20);

    const ends = await endsOfEffects();
    expect(ends['ready'] ?? 0).toBe(0);
    expect(ends['dispatching'] ?? 0).toBe(0);
    for (const end of ['rejected', 'succeeded', 'failed', 'unknown'])
      expect(ends[end], end).toBeGreaterThan(EFFECTS / 100);
    const held = await world.limit(limitId);
    expect(held.reserved).toBe(held.exposures.unknown);
    expect(held.reserved).toBeGreaterThan(0);
    expect(new Set(held.crossings.map(({ threshold }) => threshold))).toEqual(new Set([50, 100, null]));
    expect(await violatedInvariants(world.database, LIMIT_INVARIANTS)).toEqual({});

    await resolveUnknown();
    const end = await world.limit(limitId);
    const [sums] = await world.database.asOwner<{ settled: number; held: number }>(
      `SELECT sum(settled)::int AS settled, count(*) FILTER (WHERE state = 'reserved')::int AS held FROM impact_reservations
       WHERE limit_id = $1`,
      [limitId],
    );
    const [succeeded] = await world.database.asOwner<{ amount: number }>(
      `SELECT sum((impact -> 0 ->> 'amount')::int)::int AS amount FROM effects WHERE outcome = 'succeeded' AND id LIKE 'eff_race%'`,
    );
    expect(end).toMatchObject({ reserved: 0, settled: succeeded?.amount, exposures: { unknown: 0, pending: 0 } });
    expect(sums).toEqual({ settled: succeeded?.amount, held: 0 });
    expect(await violatedInvariants(world.database, LIMIT_INVARIANTS)).toEqual({});
  },
);

async function plantEffects(): Promise<void> {
  const { environmentId } = world.database.tenant;
  await world.owner.query(
    `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by)
     SELECT 'inv_race' || lpad(n::text, 18, '0'), a.environment_id, a.id, a.current_version_id, n::text, 'sha256:planted', '{}', '{}'
     FROM generate_series(1, $2::int) n, (SELECT * FROM actions WHERE environment_id = $1 LIMIT 1) a`,
    [environmentId, EFFECTS],
  );
  await world.owner.query(
    `INSERT INTO effects (id, environment_id, invocation_id, operation_key, action_name, version_id, adapter_type, adapter_version,
       capabilities, target, request, request_digest, impact, stage)
     SELECT 'eff_race' || lpad(operation_key, 18, '0'), environment_id, id, operation_key, 'planted', version_id, 'http.request', '1',
       '{}', '{}', '{}', 'sha256:planted',
       jsonb_build_array(jsonb_build_object('dimension', 'refunds', 'amount', 1 + operation_key::int % 3, 'bound', 'exact')), 'ready'
     FROM invocations WHERE id LIKE 'inv_race%'`,
  );
  await world.owner.query(
    `UPDATE invocations i SET effect_id = e.id FROM effects e WHERE e.invocation_id = i.id AND i.id LIKE 'inv_race%'`,
  );
  await world.owner.query('ANALYZE invocations, effects');
}

/** Keeps the highest value of any version of a counter: it shows a rise that no snapshot saw. */
async function watchEveryVersion(): Promise<void> {
  await world.owner.query(`
    CREATE TABLE seen_versions (most bigint NOT NULL, versions bigint NOT NULL);
    INSERT INTO seen_versions VALUES (0, 0);
    CREATE FUNCTION see_version() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      UPDATE seen_versions SET most = GREATEST(most, NEW.reserved + NEW.settled), versions = versions + 1;
      RETURN NULL;
    END $$;
    CREATE TRIGGER see_version AFTER UPDATE ON impact_limit_periods FOR EACH ROW EXECUTE FUNCTION see_version();`);
}

/** The share of the process: it takes every effect whose number modulo the number of shares is its own. */
function startProcess(share: number, shares = PROCESSES): Program {
  const program = new Program(['test/faults/reserving-process.mjs'], {
    DATABASE_URL: world.database.applicationUrl,
    WORKSPACE_ID: world.database.tenant.workspaceId,
    ENVIRONMENT_ID: world.database.tenant.environmentId,
    SHARE: String(share),
    SHARES: String(shares),
    LANES: String(LANES),
  });
  programs.push(program);
  return program;
}

async function untilBegun(effects: number): Promise<void> {
  const begun = async (): Promise<number> => {
    const { rows } = await world.owner.query<{ begun: number }>(
      `SELECT count(*)::int AS begun FROM effects WHERE stage <> 'ready' AND id LIKE 'eff_race%'`,
    );
    return rows[0]?.begun ?? 0;
  };
  while ((await begun()) <= effects) {
    // Fails at once with the process's own error, not with a time-out.
    const failed = programs.find(({ process }) => process.exitCode);
    if (failed) throw new Error(failed.output);
    await delay(2 * CHECK_INTERVAL_MS);
  }
}

interface Checker {
  stop(): Promise<{ checks: number; most: number }>;
}

/** Checks committed states until it is stopped: counters, their reservations and the cap, in one snapshot. */
function startChecker(limitId: string): Checker {
  const stopping = new AbortController();
  const watched = (async () => {
    const owner = new Client({ connectionString: world.database.ownerUrl });
    await owner.connect();
    let [checks, most] = [0, 0];
    while (!stopping.signal.aborted) {
      const { rows } = await owner.query<Record<'used' | 'reserved' | 'settled' | 'held' | 'kept', number>>(
        `SELECT (p.reserved + p.settled)::int AS used, p.reserved::int, p.settled::int,
           sum(CASE WHEN r.state = 'reserved' THEN r.amount ELSE 0 END)::int AS held, sum(r.settled)::int AS kept
         FROM impact_limit_periods p JOIN impact_reservations r ON r.limit_id = p.limit_id AND r.period = p.period
         WHERE p.limit_id = $1 GROUP BY p.reserved, p.settled`,
        [limitId],
      );
      const [row] = rows;
      await delay(CHECK_INTERVAL_MS);
      if (!row) continue;
      checks += 1;
      most = Math.max(most, row.used);
      if (row.reserved !== row.held || row.settled !== row.kept) {
        throw new Error(`the counters are not the sums of the reservations: ${JSON.stringify(row)}`);
      }
    }
    await owner.end();
    return { checks, most };
  })();
  watched.catch(() => undefined); // whoever stops it hears of it
  return {
    stop: () => {
      stopping.abort();
      return watched;
    },
  };
}

async function endsOfEffects(): Promise<Record<string, number>> {
  const rows = await world.database.asOwner<{ end: string; effects: number }>(
    `SELECT CASE WHEN outcome IN ('succeeded', 'failed', 'unknown') THEN outcome ELSE stage END AS end, count(*)::int AS effects
     FROM effects WHERE id LIKE 'eff_race%' GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ end, effects }) => [end, effects]));
}

/** Half of them happened, half did not. */
async function resolveUnknown(): Promise<void> {
  const rows = await world.database.asOwner<{ id: string }>(
    `SELECT invocation_id AS id FROM effects WHERE outcome = 'unknown' AND id LIKE 'eff_race%' ORDER BY id`,
  );
  for (const [at, { id }] of rows.entries()) {
    await world.transaction((tx) =>
      writeSettlement(tx, id, {
        kind: 'known',
        stage: 'settled',
        outcome: at % 2 === 0 ? 'succeeded' : 'failed',
        source: 'provider_lookup',
        partialEffect: 'none',
        error: null,
        code: at % 2 === 0 ? null : 'provider_reports_failure',
        abandon: null,
      }),
    );
  }
}
