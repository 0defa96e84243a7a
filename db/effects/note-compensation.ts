import type { EnvironmentTransaction } from '../client.ts';
import { appendEvidence } from './append-evidence.ts';

/** Records on a compensated effect that its compensation succeeded. Its outcome stays: both effects happened. */
export async function noteCompensation(
  tx: EnvironmentTransaction,
  compensation: { invocationId: string; compensates: string },
): Promise<void> {
  const { rows } = await tx.raw<{ rows: { id: string; actionName: string }[] }>(
    'SELECT id, action_name AS "actionName" FROM effects WHERE invocation_id = ?',
    [compensation.invocationId],
  );
  const by = rows[0];
  if (!by) throw new Error(`the compensation ${compensation.invocationId} has no effect`);
  await appendEvidence(tx, {
    effectId: compensation.compensates,
    source: 'system',
    observedAt: new Date(),
    impliedOutcome: null,
    summary: `compensated by ${by.id} (${by.actionName})`,
    details: { compensatedBy: by.id },
    actor: { type: 'service', id: null },
  });
}
