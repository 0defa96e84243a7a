// One worker of impact-limit-race.test.ts, which has built `dist` before: it reserves, marks, and settles its share of the effects with
// the service's own code, until it is killed or none is left. An effect that an earlier worker left dispatching has an unknown outcome.
import { startDispatch } from '../../dist/db/attempts/dispatches.js';
import { Database } from '../../dist/db/client.js';
import { writeSettlement } from '../../dist/db/effects/settlement.js';
import { reserveImpact } from '../../dist/db/impact-limits/reservations.js';
import { refuseInvocation } from '../../dist/db/invocations/changes.js';

const { DATABASE_URL, WORKSPACE_ID, ENVIRONMENT_ID, SHARE, SHARES, LANES } = process.env;
const db = new Database({ url: DATABASE_URL, applicationName: `reserving-${SHARE}`, poolMax: Number(LANES) });
const tenant = { workspaceId: WORKSPACE_ID, environmentId: ENVIRONMENT_ID };

const known = (stage, outcome, source, partialEffect, code) => ({
  kind: 'known',
  stage,
  outcome,
  source,
  partialEffect,
  error: null,
  code,
  abandon: null,
});
const SUCCEEDED = known('settled', 'succeeded', 'provider_response', 'none', null);
const FAILED = known('settled', 'failed', 'provider_response', 'none', 'provider_reports_failure');
const UNKNOWN = known('reconciling', 'unknown', null, 'possible', 'no_usable_answer');
/** The outcome of an effect's dispatch, by the effect's number. */
const OUTCOMES = [SUCCEEDED, SUCCEEDED, FAILED, SUCCEEDED, UNKNOWN, FAILED, SUCCEEDED];

/** As the activities do it, without their other reads. */
async function lockedStatus(tx, invocationId) {
  const { rows } = await tx.raw('read_status', 'SELECT status FROM invocations WHERE id = ? FOR UPDATE', [
    invocationId,
  ]);
  return rows[0].status;
}

async function reserve({ effectId, invocationId, impact }) {
  return db.withEnvironment(tenant, async (tx) => {
    if ((await lockedStatus(tx, invocationId)) !== 'queued') return; // already done by an earlier process, whose end was not seen
    const facts = {
      actionName: 'planted',
      adapterType: 'http.request',
      apiKeyId: null,
      agentId: null,
      target: {},
    };
    const refusal = await reserveImpact(tx, { ...facts, effectId, impact }, new Date());
    if (refusal === null) await startDispatch(tx, invocationId, []);
    else await refuseInvocation(tx, invocationId, refusal);
  });
}

async function settle({ invocationId, number }, settlement = OUTCOMES[number % OUTCOMES.length]) {
  await db.withEnvironment(tenant, async (tx) => {
    if ((await lockedStatus(tx, invocationId)) === 'dispatching') await writeSettlement(tx, invocationId, settlement);
  });
}

async function share(stage) {
  const { rows } = await db.withEnvironment(tenant, (tx) =>
    tx.raw(
      'list_share',
      `SELECT id AS "effectId", invocation_id AS "invocationId", impact, number FROM effects e
         CROSS JOIN LATERAL (SELECT CASE WHEN e.id LIKE 'eff_race%' THEN CAST(e.operation_key AS integer) END AS number) n
       WHERE stage = :stage AND number % :shares = :share ORDER BY id`,
      { stage, shares: Number(SHARES), share: Number(SHARE) },
    ),
  );
  return rows;
}

/** The concurrency: one for each connection. */
async function each(effects, work) {
  const lane = async () => {
    for (let effect = effects.pop(); effect !== undefined; effect = effects.pop()) await work(effect);
  };
  await Promise.all(Array.from({ length: Number(LANES) }, lane));
}

await each(await share('dispatching'), (effect) => settle(effect, UNKNOWN));
console.log('reserving');
await each(await share('ready'), async (effect) => {
  await reserve(effect);
  await settle(effect);
});
await db.close();
console.log('nothing left');
