import type { Outcome, PartialEffect, Stage } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface FoundEffect {
  id: string;
  stage: Stage;
  outcome: Outcome;
  partialEffect: PartialEffect;
  compensates: string | null;
}

/** The effects among these ids that exist in the transaction's environment, in no particular order. */
export async function findEffects(tx: EnvironmentTransaction, ids: readonly string[]): Promise<FoundEffect[]> {
  const { rows } = await tx.raw<{ rows: FoundEffect[] }>(
    'SELECT id, stage, outcome, partial_effect AS "partialEffect", compensates FROM effects WHERE id = ANY(?)',
    [ids],
  );
  return rows;
}
