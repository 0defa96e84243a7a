import { describe, expect, test } from 'vitest';
import { setProviderReference } from '../../../db/effects/settlement.ts';
import { newId } from '../../../domain/ids.ts';
import { startPlantedDatabase } from '../harness/planted-database.ts';
import { plantEffect } from '../effects/planted-rows.ts';
import { CAPABILITIES, insert, withoutTriggers } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';

/** After a read found more than one record at the provider: what the database refuses, whatever the code does. */

const world = await startPlantedDatabase();
const { database, owner, planted } = world;

type Found = 'ambiguous' | 'inconclusive';

/** An unknown effect that can be replayed, with the result of its last read. */
async function unknownEffect(found: Found): Promise<{ effectId: string; invocationId: string }> {
  const invocationId = await plantInvocation(owner, database.tenant, planted);
  const of = { invocationId, versionId: planted.versionId };
  const effectId = await withoutTriggers(owner, () =>
    plantEffect(owner, database.tenant, of, {
      stage: 'reconciling',
      outcome: 'unknown',
      partial_effect: 'possible',
      first_dispatched_at: new Date(),
      capabilities: { ...CAPABILITIES, replay: true, idempotencyWindowSeconds: 86_400 },
    }),
  );
  await read(effectId, found);
  return { effectId, invocationId };
}

const read = (effectId: string, found: Found): Promise<void> =>
  insert(owner, 'evidence', {
    id: newId('evidence'),
    environment_id: database.tenant.environmentId,
    effect_id: effectId,
    source: 'provider_lookup',
    observed_at: new Date(),
    summary: 'read',
    details: { kind: found },
    actor_type: 'service',
  });

const askReplay = async (invocationId: string): Promise<string> => {
  const id = newId('attempt');
  const of = { environment_id: database.tenant.environmentId, invocation_id: invocationId };
  await insert(owner, 'attempts', { ...of, id, number: 2, kind: 'replay' });
  return id;
};

/** Returns the refusal, or null where the database allowed it. */
const saidOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: unknown) => String(error),
  );

const change = (effectId: string, values: Record<string, unknown>): Promise<string | null> =>
  saidOf(
    database.db.withEnvironment(database.tenant, async (tx) => {
      const assignments = Object.keys(values).map((column) => `${column} = :${column}`);
      const sql = `UPDATE effects SET ${assignments.join(', ')} WHERE id = :effectId`;
      expect(await tx.raw(null, sql, { ...values, effectId })).toMatchObject({ rowCount: 1 });
    }),
  );

const settled = (outcome: string, source: string) => ({
  stage: 'settled',
  outcome,
  outcome_source: source,
  partial_effect: 'none',
  outcome_at: new Date(),
});

describe('an unknown effect of which two records were found', () => {
  test.each([
    ['a late answer', settled('succeeded', 'provider_response')],
    ['a read that now finds one', settled('succeeded', 'provider_lookup')],
    ['a read that now finds it failed', settled('failed', 'provider_lookup')],
    ['the service itself', settled('failed', 'system')],
    ['a provider that is at it', { stage: 'reconciling', outcome: 'pending' }],
  ])('is not moved by %s; where one was found, it is', async (_what, values) => {
    expect(await change((await unknownEffect('ambiguous')).effectId, values)).toMatch(/only a person settles it/);
    expect(await change((await unknownEffect('inconclusive')).effectId, values)).toBeNull();
  });

  test('takes no provider reference, even where a later read finds one record; where one was found, it does', async () => {
    const referenceAfter = async (found: Found) => {
      const { effectId } = await unknownEffect(found);
      await database.db.withEnvironment(database.tenant, (tx) => setProviderReference(tx, effectId, 're_1'));
      const [row] = await database.asOwner('SELECT provider_reference FROM effects WHERE id = $1', [effectId]);
      return row?.['provider_reference'];
    };
    expect(await referenceAfter('ambiguous')).toBeNull();
    expect(await referenceAfter('inconclusive')).toBe('re_1');
  });

  test('may be read on', async () => {
    const { effectId } = await unknownEffect('ambiguous');
    expect(await change(effectId, { reconcile_next_at: new Date() })).toBeNull();
  });

  test('is sent no second time; where one was found, it is', async () => {
    expect(await saidOf(askReplay((await unknownEffect('ambiguous')).invocationId))).toMatch(/it is not sent again/);
    expect(await saidOf(askReplay((await unknownEffect('inconclusive')).invocationId))).toBeNull();
  });

  test('is sent no second time by a replay that was asked for before they were found; where one was found, it is', async () => {
    const claimAfter = async (found: Found) => {
      const { effectId, invocationId } = await unknownEffect('inconclusive');
      const attemptId = await askReplay(invocationId);
      await read(effectId, found);
      return saidOf(owner.query('UPDATE attempts SET claimed_at = now() WHERE id = $1', [attemptId]));
    };
    expect(await claimAfter('ambiguous')).toMatch(/it is not sent again/);
    expect(await claimAfter('inconclusive')).toBeNull();
  });
});
