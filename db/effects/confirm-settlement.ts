import type { EnvironmentTransaction } from '../client.ts';

/**
 * Records that the provider's own record, read after the settlement, matches the success that a response settled: `acknowledged`
 * becomes `confirmed`. Nothing else moves, so a planned read and the time of the outcome stay. Idempotent, and a person's resolution
 * stays as it is.
 */
export async function confirmSettlement(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw(
    `WITH effect AS (
       UPDATE effects SET outcome_source = 'provider_lookup', updated_at = now()
       WHERE invocation_id = :invocationId AND stage = 'settled' AND outcome = 'succeeded' AND outcome_source = 'provider_response'
       RETURNING invocation_id)
     UPDATE invocations i SET outcome_source = 'provider_lookup', updated_at = now() FROM effect WHERE i.id = effect.invocation_id`,
    { invocationId },
  );
}
