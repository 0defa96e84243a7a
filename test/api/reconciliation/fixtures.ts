import { newId } from '../../../domain/ids.ts';
import { plantEffect } from '../effects/fixtures.ts';
import { plantInvocation } from '../invocations/fixtures.ts';
import type { RouteFixtures } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** The id of an effect with an unknown outcome, which its adapter can replay. */
async function plantUnknownEffect(world: World): Promise<string> {
  const invocationId = await plantInvocation(world);
  const capable = { replay: true, idempotencyWindowSeconds: 86_400 };
  const effectId = await plantEffect(world, { invocationId, capable });
  await giveUp(world, invocationId, effectId);
  return effectId;
}

/** The id of an invocation without an effect and with an unknown outcome. */
async function plantUnknownInvocation(world: World): Promise<string> {
  const invocationId = await plantInvocation(world);
  await giveUp(world, invocationId, null);
  return invocationId;
}

/** A dispatch whose worker was lost. */
async function giveUp({ api }: World, invocationId: string, effectId: string | null): Promise<void> {
  await api.database.asOwner(
    `UPDATE invocations SET status = 'dispatching', effect_id = $2, evaluated_at = now() WHERE id = $1`,
    [invocationId, effectId],
  );
  await api.database.asOwner(
    `INSERT INTO attempts (id, environment_id, invocation_id, number, kind, claimed_at)
     SELECT $2, environment_id, id, 1, 'dispatch', now() FROM invocations WHERE id = $1`,
    [invocationId, newId('attempt')],
  );
  await api.database.asOwner(
    `UPDATE effects SET stage = 'dispatching', outcome = 'pending', first_dispatched_at = now() WHERE invocation_id = $1`,
    [invocationId],
  );
  await api.database.asOwner(
    `UPDATE effects SET stage = 'reconciling', outcome = 'unknown', partial_effect = 'possible', outcome_at = now()
     WHERE invocation_id = $1`,
    [invocationId],
  );
  await api.database.asOwner(
    `UPDATE attempts SET status = 'abandoned', finished_at = now(), observed_outcome = 'unknown' WHERE invocation_id = $1`,
    [invocationId],
  );
  await api.database.asOwner(
    `UPDATE invocations SET status = 'unknown', refusal_code = 'no_usable_answer', refusal_details = '{}' WHERE id = $1`,
    [invocationId],
  );
}

const resolution = {
  outcome: 'failed',
  partialEffect: 'none',
  evidence: { summary: 'No refund of pay_1002 in the dashboard of the provider, 20 minutes later.' },
};
const unknown = async (world: World): Promise<FixtureRequest> => ({ params: { id: await plantUnknownEffect(world) } });

export const fixtures: RouteFixtures = {
  'effects.reconcile': { request: unknown },
  'effects.replay': { request: unknown },
  'effects.resolve': { request: async (world) => ({ ...(await unknown(world)), body: resolution }) },
  'invocations.resolve': {
    request: async (world) => ({ params: { id: await plantUnknownInvocation(world) }, body: resolution }),
  },
};
