import { describe, expect, test } from 'vitest';
import {
  OUTCOMES,
  STAGES,
  type Grade,
  type Outcome,
  type OutcomeSource,
  type Stage,
  type Verification,
} from '../../../domain/lifecycle.ts';
import { startPlantedDatabase } from '../harness/planted-database.ts';
import { insert, withoutTriggers } from '../harness/plant.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';
import { plantEffect } from './planted-rows.ts';

/**
 * The life of an effect as the database enforces it: docs/invocations.md, "The life of an effect"; for dispatching -> rejected
 * see ADR 0003.
 */

type Place = `${Stage}/${Outcome}`;

const PLACES: readonly Place[] = [
  'awaiting_approval/not_dispatched',
  'ready/not_dispatched',
  'rejected/not_dispatched',
  'dispatching/pending',
  'reconciling/unknown',
  'reconciling/pending',
  'settled/succeeded',
  'settled/failed',
];

const LEGAL_MOVES: Record<string, readonly Place[]> = {
  'awaiting_approval/not_dispatched': ['ready/not_dispatched', 'rejected/not_dispatched'],
  'ready/not_dispatched': ['dispatching/pending', 'rejected/not_dispatched'],
  'rejected/not_dispatched': [],
  'dispatching/pending': [
    'reconciling/unknown',
    'reconciling/pending',
    'settled/succeeded',
    'settled/failed',
    'rejected/not_dispatched',
  ],
  'reconciling/unknown': ['reconciling/pending', 'settled/succeeded', 'settled/failed'],
  'reconciling/pending': ['reconciling/unknown', 'settled/succeeded', 'settled/failed'],
  'settled/succeeded': [],
  'settled/failed': [],
};

const world = await startPlantedDatabase();
const { database, owner, planted } = world;

function valuesOf(place: Place): Record<string, unknown> {
  const [stage, outcome] = place.split('/');
  const settled = stage === 'settled';
  return {
    stage,
    outcome,
    outcome_source: settled ? 'provider_response' : null,
    outcome_at: settled ? new Date() : null,
    rejection_reason: stage === 'rejected' ? 'impact_limit_exceeded' : null,
  };
}

/** An effect in any state of its life, written past the triggers. */
async function effectAt(values: Record<string, unknown>): Promise<{ effectId: string; invocationId: string }> {
  const invocationId = await plantInvocation(owner, database.tenant, planted);
  const of = { invocationId, versionId: planted.versionId };
  const effectId = await withoutTriggers(owner, () => plantEffect(owner, database.tenant, of, values));
  return { effectId, invocationId };
}

/** Moves it as the application does. Returns the refusal, or null where the database allowed it. */
async function change(effectId: string, values: Record<string, unknown>): Promise<string | null> {
  return database.db
    .withEnvironment(database.tenant, (tx) => {
      const assignments = Object.keys(values).map((column) => `${column} = :${column}`);
      const sql = `UPDATE effects SET ${assignments.join(', ')} WHERE id = :effectId`;
      return tx.raw<{ rowCount: number }>(null, sql, { ...values, effectId });
    })
    .then(
      ({ rowCount }) => (rowCount === 1 ? null : `${rowCount} rows`),
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
}

const MOVES = PLACES.flatMap((from) =>
  PLACES.map((to) => ({ from, to, legal: from === to || (LEGAL_MOVES[from] ?? []).includes(to) })),
);

describe('moves of an effect', () => {
  test.each(MOVES.filter((move) => move.legal))('$from -> $to passes', async ({ from, to }) => {
    const { effectId } = await effectAt(valuesOf(from));
    expect(await change(effectId, valuesOf(to))).toBeNull();
  });

  test.each(MOVES.filter((move) => !move.legal))('$from -> $to is refused', async ({ from, to }) => {
    const { effectId } = await effectAt(valuesOf(from));
    expect(await change(effectId, valuesOf(to))).toMatch(/cannot move from|is final/);
  });

  test('a stage and an outcome that do not go together are refused', async () => {
    for (const stage of STAGES) {
      for (const outcome of OUTCOMES) {
        const place: Place = `${stage}/${outcome}`;
        if (PLACES.includes(place)) continue;
        const values = { ...valuesOf(place), outcome_source: 'system', outcome_at: new Date() };
        await expect(effectAt(values), place).rejects.toThrow(/check constraint/);
      }
    }
  });

  test.each(PLACES)('it may begin at %s only where nothing is known yet', async (place) => {
    const invocationId = await plantInvocation(owner, database.tenant, planted);
    const made = plantEffect(owner, database.tenant, { invocationId, versionId: planted.versionId }, valuesOf(place));
    const said = await made.catch((error: unknown) => String(error));
    const mayBegin = place.endsWith('/not_dispatched') || place === 'dispatching/pending';
    expect(said).toMatch(mayBegin ? /^eff_/ : /cannot begin in stage/);
  });

  test.each([
    [{ reversible: true }, /^passes$/],
    [{ reversible: false }, /cannot move from outcome/],
    [{}, /cannot move from outcome/],
  ])('an outcome that succeeded fails late only where the adapter declares it: %o', async (capabilities, says) => {
    const { effectId } = await effectAt({ ...valuesOf('settled/succeeded'), capabilities });
    const refusal = await change(effectId, { outcome: 'failed', outcome_source: 'provider_lookup' });
    expect(refusal ?? 'passes').toMatch(says);
  });

  test('a late failure is the end', async () => {
    const { effectId } = await effectAt({ ...valuesOf('settled/failed'), capabilities: { reversible: true } });
    expect(await change(effectId, { outcome: 'succeeded' })).toMatch(/cannot move from outcome/);
  });

  test.each([
    ['provider_response', 'provider_lookup', true],
    ['provider_lookup', 'provider_response', false],
    ['manual_resolution', 'provider_lookup', false],
    ['provider_response', 'manual_resolution', false],
    ['system', 'provider_lookup', false],
  ])('a settled outcome said by %s may be said by %s: %s', async (from, to, legal) => {
    const { effectId } = await effectAt({ ...valuesOf('settled/succeeded'), outcome_source: from });
    expect((await change(effectId, { outcome_source: to })) === null).toBe(legal);
  });

  test.each([
    ['no attempt', null, /^passes$/],
    ['an attempt that nobody claimed', { status: 'abandoned', observed_outcome: 'not_dispatched' }, /^passes$/],
    [
      'an attempt that sent nothing',
      { status: 'completed', claimed: true, observed_outcome: 'not_dispatched' },
      /^passes$/,
    ],
    ['an attempt under way', { status: 'started', claimed: true, observed_outcome: null }, /may have been sent/],
    [
      'an attempt whose worker was lost',
      { status: 'abandoned', claimed: true, observed_outcome: 'unknown' },
      /may have been sent/,
    ],
    [
      'an attempt that was answered',
      { status: 'completed', claimed: true, observed_outcome: 'failed' },
      /may have been sent/,
    ],
  ])('after %s a marked dispatch meets its rejection (%#)', async (_what, attempt, says) => {
    const { effectId, invocationId } = await effectAt(valuesOf('dispatching/pending'));
    if (attempt) {
      const values = {
        id: `att_${invocationId}`,
        environment_id: database.tenant.environmentId,
        invocation_id: invocationId,
        number: 1,
        kind: 'dispatch',
        status: attempt.status,
        claimed_at: 'claimed' in attempt ? new Date() : null,
        observed_outcome: attempt.observed_outcome,
        finished_at: attempt.status === 'started' ? null : new Date(),
      };
      await withoutTriggers(owner, () => insert(owner, 'attempts', values));
    }
    expect((await change(effectId, valuesOf('rejected/not_dispatched'))) ?? 'passes').toMatch(says);
  });

  test('what it was asked to do, and why it was rejected, never change', async () => {
    const { effectId } = await effectAt(valuesOf('ready/not_dispatched'));
    for (const [column, value] of Object.entries({
      request: { method: 'POST' },
      request_digest: 'sha256:other',
      target: { host: 'elsewhere' },
      impact: '[{"dimension":"money"}]',
      operation_key: 'other',
      capabilities: { reversible: true },
      adapter_version: '2',
      created_at: new Date(0),
    })) {
      expect(await change(effectId, { [column]: value }), column).toMatch(/is immutable/);
    }
    const rejected = await effectAt(valuesOf('rejected/not_dispatched'));
    expect(await change(rejected.effectId, { rejection_reason: 'approval_denied' })).toMatch(/is final/);
  });

  test('neither grade nor verification can be written, and no effect is ever deleted', async () => {
    const { effectId } = await effectAt(valuesOf('ready/not_dispatched'));
    expect(await change(effectId, { grade: 'confirmed' })).toMatch(/can only be updated to DEFAULT/);
    expect(await change(effectId, { verification: 'provider' })).toMatch(/can only be updated to DEFAULT/);
    await expect(owner.query('DELETE FROM effects WHERE id = $1', [effectId])).rejects.toThrow(/never deleted/);
  });
});

interface Derivation {
  stage: Stage;
  outcome: Outcome;
  source: OutcomeSource | null;
  reason?: string;
  grade: Grade;
  verification: Verification;
}

const DERIVATIONS: readonly Derivation[] = [
  {
    stage: 'awaiting_approval',
    outcome: 'not_dispatched',
    source: null,
    grade: 'pending',
    verification: 'not_dispatched',
  },
  {
    stage: 'ready',
    outcome: 'not_dispatched',
    source: null,
    grade: 'pending',
    verification: 'not_dispatched',
  },
  {
    stage: 'rejected',
    outcome: 'not_dispatched',
    source: 'system',
    reason: 'approval_denied',
    grade: 'denied',
    verification: 'not_dispatched',
  },
  {
    stage: 'rejected',
    outcome: 'not_dispatched',
    source: 'system',
    reason: 'digest_mismatch',
    grade: 'refused',
    verification: 'not_dispatched',
  },
  { stage: 'dispatching', outcome: 'pending', source: null, grade: 'pending', verification: 'unverified' },
  {
    stage: 'reconciling',
    outcome: 'pending',
    source: 'provider_response',
    grade: 'pending',
    verification: 'unverified',
  },
  { stage: 'reconciling', outcome: 'unknown', source: null, grade: 'unknown', verification: 'unverified' },
  {
    stage: 'settled',
    outcome: 'succeeded',
    source: 'provider_response',
    grade: 'acknowledged',
    verification: 'unverified',
  },
  {
    stage: 'settled',
    outcome: 'succeeded',
    source: 'provider_lookup',
    grade: 'confirmed',
    verification: 'provider',
  },
  {
    stage: 'settled',
    outcome: 'succeeded',
    source: 'manual_resolution',
    grade: 'acknowledged',
    verification: 'manual',
  },
  {
    stage: 'settled',
    outcome: 'failed',
    source: 'system',
    grade: 'failed',
    verification: 'not_dispatched',
  },
  {
    stage: 'settled',
    outcome: 'failed',
    source: 'provider_response',
    grade: 'failed',
    verification: 'provider',
  },
  {
    stage: 'settled',
    outcome: 'failed',
    source: 'provider_lookup',
    grade: 'failed',
    verification: 'provider',
  },
  {
    stage: 'settled',
    outcome: 'failed',
    source: 'manual_resolution',
    grade: 'failed',
    verification: 'manual',
  },
];

describe('what the database derives', () => {
  test.each(DERIVATIONS)('$stage, $outcome by $source ($reason) is $grade, $verification', async (row) => {
    const settled = row.outcome === 'succeeded' || row.outcome === 'failed';
    const { effectId } = await effectAt({
      stage: row.stage,
      outcome: row.outcome,
      outcome_source: row.source,
      outcome_at: settled ? new Date() : null,
      rejection_reason: row.reason ?? null,
    });
    const { rows } = await owner.query('SELECT grade, verification FROM effects WHERE id = $1', [effectId]);
    expect(rows).toEqual([{ grade: row.grade, verification: row.verification }]);
  });
});
