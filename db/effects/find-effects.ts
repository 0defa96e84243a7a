import type { Outcome, PartialEffect, Stage } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface FoundEffect {
  id: string;
  stage: Stage;
  outcome: Outcome;
  partialEffect: PartialEffect;
  compensates: string | null;
}

/** Those of the transaction's environment that are there, in no order. */
export async function findEffects(tx: EnvironmentTransaction, ids: readonly string[]): Promise<FoundEffect[]> {
  const { rows } = await tx.raw<{ rows: FoundEffect[] }>(
    'SELECT id, stage, outcome, partial_effect AS "partialEffect", compensates FROM effects WHERE id = ANY(?)',
    [ids],
  );
  return rows;
}
