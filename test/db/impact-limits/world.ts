import type { Client } from 'pg';
import { startDispatch } from '../../../db/attempts/dispatches.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { createImpactLimit, getImpactLimit, type NewLimit } from '../../../db/impact-limits/limits.ts';
import { listReservations, reserveImpact } from '../../../db/impact-limits/reservations.ts';
import type { LimitDetail, ReservationRecord } from '../../../db/impact-limits/records.ts';
import { type HowSettled, settleReservations } from '../../../db/impact-limits/settlement.ts';
import type { ImpactQuantity } from '../../../domain/actions.ts';
import type { ImpactFacts } from '../../../domain/impact-limits/demand.ts';
import type { Outcome, PartialEffect, Stage } from '../../../domain/lifecycle.ts';
import type { Refusal } from '../../../domain/refusals.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { type PlantedAction, plantAction } from '../actions/planted-rows.ts';
import { plantEffect } from '../effects/planted-rows.ts';
import { plantInvocation } from '../invocations/planted-rows.ts';
import { rows } from './planted-rows.ts';

export interface TestEffect {
  effectId: string;
  invocationId: string;
  impact: ImpactQuantity[];
}

/** The outcome of an effect, as a settlement writes it. */
export interface Move {
  stage: Stage;
  outcome: Outcome;
  partialEffect?: PartialEffect;
}

export const NOON = new Date('2026-11-21T12:00:00Z');
const CAPABILITIES = {
  idempotent: false,
  idempotencyWindowSeconds: null,
  lookup: 'none',
  replay: false,
  preview: false,
  reversible: true,
};

export function emails(amount: number, bound: ImpactQuantity['bound'] = 'exact'): ImpactQuantity {
  return { dimension: 'emails', amount, bound };
}

export function money(amount: number, currency = 'usd', bound: ImpactQuantity['bound'] = 'exact'): ImpactQuantity {
  return { dimension: 'money', currency, amount, bound };
}

/** A database of its own, limits, and effects of an action that are ready to be dispatched. */
export class LimitWorld {
  readonly database: TestDatabase;
  readonly owner: Client;
  private readonly planted: PlantedAction;
  private limits = 0;

  private constructor(database: TestDatabase, owner: Client, planted: PlantedAction) {
    this.database = database;
    this.owner = owner;
    this.planted = planted;
  }

  static async start(options: { poolMax?: number } = {}): Promise<LimitWorld> {
    const database = await createTestDatabase(options);
    const owner = await database.connectOwner();
    for (const tenant of [database.tenants.staging, database.tenant]) await rows.plant(owner, tenant);
    return new LimitWorld(database, owner, await plantAction(owner, database.tenant));
  }

  transaction<T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> {
    return this.database.db.withEnvironment(this.database.tenant, work);
  }

  /** A limit on e-mails with the period `lifetime`, unless `over` says otherwise. */
  makeLimit(over: Partial<NewLimit> = {}): Promise<string> {
    const limit: NewLimit = {
      name: `limit ${++this.limits}`,
      dimension: 'emails',
      currency: null,
      cap: 100,
      period: 'lifetime',
      timezone: 'UTC',
      scope: {},
      thresholds: [],
      ...over,
    };
    return this.transaction((tx) => createImpactLimit(tx, limit));
  }

  async limit(id: string, now = NOON): Promise<LimitDetail> {
    const found = await this.transaction((tx) => getImpactLimit(tx, id, now));
    if (found === null) throw new Error(`there is no limit ${id}`);
    return found;
  }

  /** The limit's usage in the current period. */
  async used(id: string, now = NOON): Promise<[reserved: number, settled: number]> {
    const { reserved, settled } = await this.limit(id, now);
    return [reserved, settled];
  }

  async makeEffect(impact: ImpactQuantity[], over: Record<string, unknown> = {}): Promise<TestEffect> {
    const invocationId = await plantInvocation(this.owner, this.database.tenant, this.planted);
    const of = { invocationId, versionId: this.planted.versionId };
    const values = { impact: JSON.stringify(impact), capabilities: CAPABILITIES, ...over };
    const effectId = await plantEffect(this.owner, this.database.tenant, of, values);
    return { effectId, invocationId, impact };
  }

  /** Reserves and marks the dispatch in one transaction, as `judgeInvocation` does; a refusal marks nothing. */
  dispatch(effect: TestEffect, now = NOON, facts: Partial<ImpactFacts> = {}): Promise<Refusal | null> {
    return this.transaction(async (tx) => {
      const refusal = await reserveImpact(tx, { ...factsOf(effect), ...facts }, now);
      if (refusal === null) await startDispatch(tx, effect.invocationId, []);
      return refusal;
    });
  }

  async dispatched(impact: ImpactQuantity[], now = NOON, facts: Partial<ImpactFacts> = {}): Promise<TestEffect> {
    const effect = await this.makeEffect(impact);
    const refusal = await this.dispatch(effect, now, facts);
    if (refusal !== null) throw new Error(refusal.message);
    return effect;
  }

  /** Writes an outcome and settles the reservations by it, in one transaction. */
  move(effect: TestEffect, to: Move, how: HowSettled = {}): Promise<void> {
    return this.transaction(async (tx) => {
      await writeMove(tx, effect, to);
      await settleReservations(tx, effect.effectId, how);
    });
  }

  reservations(effect: TestEffect): Promise<ReservationRecord[]> {
    return this.transaction((tx) => listReservations(tx, [effect.effectId]));
  }
}

export function factsOf(effect: TestEffect): ImpactFacts & { effectId: string } {
  const facts = { actionName: 'planted', adapterType: 'http.request', apiKeyId: 'key_1', agentId: 'agent-1' };
  return { ...facts, effectId: effect.effectId, impact: effect.impact, target: {} };
}

/** Changes only the effect's row, as a settlement without its reservations would. */
export async function writeMove(
  tx: EnvironmentTransaction,
  { effectId }: TestEffect,
  { stage, outcome, partialEffect = 'none' }: Move,
): Promise<void> {
  await tx.raw(
    null,
    `UPDATE effects SET stage = :stage, outcome = :outcome, partial_effect = :partialEffect, updated_at = now(),
       outcome_source = CASE WHEN :stage = 'settled' THEN 'provider_response' WHEN :stage = 'rejected' THEN 'system' END,
       outcome_at = CASE WHEN :stage = 'settled' THEN now() END,
       rejection_reason = CASE WHEN :stage = 'rejected' THEN 'secret_missing' END
     WHERE id = :effectId`,
    { effectId, stage, outcome, partialEffect },
  );
}
