import { expect, test } from 'vitest';
import { appendEvidence } from '../../../db/effects/evidence.ts';
import { getEffect } from '../../../db/effects/queries.ts';
import { verifyReceipts } from '../../../db/effects/verify-receipts.ts';
import { appendObservation } from '../../../db/previews/drafts.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plantAction } from '../actions/planted-rows.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';
import { plantEffect } from './planted-rows.ts';

/** What was observed is never later than its record, whatever the clock of the process that observed it says. */

const HOUR_MS = 3_600_000;

const database = await createTestDatabase();
const owner = await database.connectOwner();
const planted = await plantAction(owner, database.tenant);
async function newEffect(): Promise<{ invocationId: string; effectId: string }> {
  const invocationId = await plantInvocation(owner, database.tenant, planted);
  const effectId = await plantEffect(owner, database.tenant, { invocationId, versionId: planted.versionId });
  return { invocationId, effectId };
}

const evidenceOf = (effectId: string, observedAt: Date) => ({
  effectId,
  source: 'provider_lookup' as const,
  observedAt,
  impliedOutcome: null,
  summary: 'read',
  actor: { type: 'system', id: null },
});

async function timesOf(effectId: string): Promise<{ observedAt: number; recordedAt: number }> {
  const effect = await database.db.withEnvironment(database.tenant, (tx) => getEffect(tx, effectId));
  const [evidence] = effect?.evidence ?? [];
  if (evidence === undefined) throw new Error('the evidence was not stored');
  return { observedAt: evidence.observedAt.getTime(), recordedAt: evidence.recordedAt.getTime() };
}

test('a clock that is an hour fast does not move evidence into the future, and the chain holds', async () => {
  const { effectId } = await newEffect();
  await database.db.withEnvironment(database.tenant, (tx) =>
    appendEvidence(tx, evidenceOf(effectId, new Date(Date.now() + HOUR_MS))),
  );
  const { observedAt, recordedAt } = await timesOf(effectId);
  expect(observedAt).toBe(recordedAt);
  expect(recordedAt).toBeLessThan(Date.now() + HOUR_MS / 2);
  const states = await database.db.withEnvironment(database.tenant, (tx) => verifyReceipts(tx, [effectId]));
  expect(states).toMatchObject([{ entries: 1, brokenAt: null }]);
});

test('what was observed before keeps its time', async () => {
  const { effectId } = await newEffect();
  const observedAt = new Date(Date.now() - HOUR_MS);
  await database.db.withEnvironment(database.tenant, (tx) => appendEvidence(tx, evidenceOf(effectId, observedAt)));
  expect((await timesOf(effectId)).observedAt).toBe(observedAt.getTime());
});

test('evidence that is observed inside a long transaction is recorded after it', async () => {
  const { effectId } = await newEffect();
  const observedAt = await database.db.withEnvironment(database.tenant, async (tx) => {
    const { rows } = await tx.raw<{ rows: { at: Date }[] }>(
      null,
      'SELECT clock_timestamp() AS at FROM pg_sleep(0.05)', // later than the transaction began
    );
    const at = rows[0]?.at ?? new Date(0);
    await appendEvidence(tx, evidenceOf(effectId, at));
    return at;
  });
  const times = await timesOf(effectId);
  expect(times.observedAt).toBe(observedAt.getTime());
  expect(times.recordedAt).toBeGreaterThanOrEqual(times.observedAt);
});

test('the same holds of what was read for a preview', async () => {
  const { invocationId } = await newEffect();
  await database.db.withEnvironment(database.tenant, (tx) =>
    appendObservation(tx, invocationId, {
      observedAt: new Date(Date.now() + HOUR_MS),
      preconditions: {},
      blocks: [],
      refusal: null,
      summary: 'read',
    }),
  );
  const [row] = await database.asOwner<{ same: boolean }>(
    'SELECT observed_at = recorded_at AS same FROM observations WHERE invocation_id = $1',
    [invocationId],
  );
  expect(row).toEqual({ same: true });
});
