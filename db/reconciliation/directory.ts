import type { Stage } from '../../domain/lifecycle.ts';
import type { EffectToRead } from '../../domain/refs.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** What the start of an effect's reads needs to know of it, and its stage. Returns null where there is no such effect. */
export async function findEffectToRead(
  tx: EnvironmentTransaction,
  effectId: string,
): Promise<(Pick<EffectToRead, 'invocationId' | 'actionName' | 'grade'> & { stage: Stage }) | null> {
  return tx.row<Pick<EffectToRead, 'invocationId' | 'actionName' | 'grade'> & { stage: Stage }>(
    'find_effect_to_read',
    `SELECT invocation_id AS "invocationId", action_name AS "actionName", grade, stage FROM effects WHERE id = ?`,
    [effectId],
  );
}
