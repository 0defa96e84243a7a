import { expect, test } from 'vitest';
import { newId } from '../../../domain/ids.ts';
import { plantEffect } from '../effects/planted-rows.ts';
import { insert, type Values, withoutTriggers } from '../harness/plant.ts';
import { startPlantedDatabase } from '../harness/planted-database.ts';
import { plantInvocation, refusalOf } from '../invocations/planted-rows.ts';

/** Which resolutions the database takes, whatever the code does. */

const world = await startPlantedDatabase();
const { database, owner, planted } = world;

const REQUESTER = { type: 'api_key', id: 'key_agent' };
const UNKNOWN = { stage: 'reconciling', outcome: 'unknown', partial_effect: 'possible' };

/** An invocation of the requester in this status. */
async function invocation(status: string): Promise<string> {
  const id = await plantInvocation(owner, database.tenant, planted);
  await withoutTriggers(owner, () =>
    owner.query(`UPDATE invocations SET status = $1, ${refusalOf('$1')}, requested_by = $2 WHERE id = $3`, [
      status,
      REQUESTER,
      id,
    ]),
  );
  return id;
}

/** A governed one, whose effect stands like this. */
async function governed(effect: Values): Promise<{ invocation_id: string; effect_id: string }> {
  const invocationId = await invocation('unknown');
  const effectId = await withoutTriggers(owner, async () => {
    const id = await plantEffect(
      owner,
      database.tenant,
      { invocationId, versionId: planted.versionId },
      { first_dispatched_at: new Date(), ...effect },
    );
    await owner.query('UPDATE invocations SET effect_id = $1 WHERE id = $2', [id, invocationId]);
    return id;
  });
  return { invocation_id: invocationId, effect_id: effectId };
}

async function resolve(of: { invocation_id: string; effect_id: string | null }, over: Values = {}): Promise<string> {
  const id = newId('resolution');
  await insert(owner, 'resolutions', {
    id,
    environment_id: database.tenant.environmentId,
    ...of,
    outcome: 'succeeded',
    previous_outcome: 'unknown',
    partial_effect: 'none',
    summary: 'seen at the provider',
    provider_ids: {},
    resolved_by: { type: 'api_key', id: 'key_operator' },
    ...over,
  });
  return id;
}
async function resolutionsOf(invocationId: string): Promise<string[]> {
  const { rows } = await owner.query<{ id: string }>('SELECT id FROM resolutions WHERE invocation_id = $1', [
    invocationId,
  ]);
  return rows.map(({ id }) => id);
}

test('what is unknown is resolved, governed or not, by another than who asked', async () => {
  const of = await governed(UNKNOWN);
  const plain = { invocation_id: await invocation('unknown'), effect_id: null };
  const [ofGoverned, ofPlain] = [await resolve(of), await resolve(plain)];
  expect(await resolutionsOf(of.invocation_id)).toEqual([ofGoverned]);
  expect(await resolutionsOf(plain.invocation_id)).toEqual([ofPlain]);
});

test('who asked does not resolve; another kind of principal with that id does', async () => {
  const of = await governed(UNKNOWN);
  await expect(resolve(of, { resolved_by: REQUESTER })).rejects.toThrow(/cannot resolve it/);
  const plain = { invocation_id: await invocation('unknown'), effect_id: null };
  await expect(resolve(plain, { resolved_by: REQUESTER })).rejects.toThrow(/cannot resolve it/);
  expect(await resolutionsOf(of.invocation_id)).toEqual([]);
  await resolve(of, { resolved_by: { ...REQUESTER, type: 'user' } });
});

test('a resolution names the effect of its invocation, and no other', async () => {
  const [of, other] = [await governed(UNKNOWN), await governed(UNKNOWN)];
  await expect(resolve({ ...of, effect_id: other.effect_id })).rejects.toThrow(/names its effect, and no other/);
  await expect(resolve({ ...of, effect_id: null })).rejects.toThrow(/names its effect, and no other/);
  expect(await resolutionsOf(of.invocation_id)).toEqual([]);
});

test.each(['queued', 'dispatching', 'failed'])(
  'an ungoverned invocation that is %s has nothing to resolve',
  async (status) => {
    const of = { invocation_id: await invocation(status), effect_id: null };
    await expect(resolve(of)).rejects.toThrow(`is ${status}, not unknown`);
  },
);

test.each([
  ['ready', { stage: 'ready', first_dispatched_at: null }, 'unknown'],
  [
    'settled',
    { stage: 'settled', outcome: 'failed', outcome_source: 'provider_lookup', outcome_at: new Date() },
    'unknown',
  ],
  ['pending, and still read back', { stage: 'reconciling', outcome: 'pending', partial_effect: 'possible' }, 'pending'],
  ['unknown, and resolved as pending', UNKNOWN, 'pending'],
])('an effect that is %s is not resolved', async (_how, effect, previous_outcome) => {
  const of = await governed(effect);
  await expect(resolve(of, { previous_outcome })).rejects.toThrow(/which nobody has to resolve/);
  expect(await resolutionsOf(of.invocation_id)).toEqual([]);
});

test('an effect that is pending is resolved once its read-backs are over', async () => {
  const of = await governed({
    stage: 'reconciling',
    outcome: 'pending',
    partial_effect: 'possible',
    reconcile_exhausted: true,
  });
  const id = await resolve(of, { previous_outcome: 'pending' });
  expect(await resolutionsOf(of.invocation_id)).toEqual([id]);
});
