import type { AttemptStatus } from '../../domain/lifecycle.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The progress of an attempt. The row is locked until the transaction ends. */
export async function findAttempt(
  tx: EnvironmentTransaction,
  attemptId: string,
): Promise<{ status: AttemptStatus; claimed: boolean }> {
  const { rows } = await tx.raw<{ rows: { status: AttemptStatus; claimed: boolean }[] }>(
    'SELECT status, claimed_at IS NOT NULL AS claimed FROM attempts WHERE id = ? FOR UPDATE',
    [attemptId],
  );
  const attempt = rows[0];
  if (!attempt) throw new Error(`attempt ${attemptId} is gone`);
  return attempt;
}
