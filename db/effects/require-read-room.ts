import { ServiceError } from '../../domain/errors.ts';
import { READS_PER_EFFECT_MAX } from '../../domain/reconciliation/reads.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Throws QUOTA_EXCEEDED where an effect was read so often that it is read no more on request. Requests at once may pass together. */
export async function requireReadRoom(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  const { rows } = await tx.raw<{ rows: { reads: number }[] }>(
    "SELECT count(*)::int AS reads FROM attempts WHERE invocation_id = :invocationId AND kind = 'reconcile'",
    { invocationId },
  );
  if ((rows[0]?.reads ?? 0) < READS_PER_EFFECT_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message:
      `This effect was read ${READS_PER_EFFECT_MAX} times, and each read is kept. Planned reads go on. ` +
      'Look its outcome up at the provider, and record it: POST …/resolve.',
  });
}
