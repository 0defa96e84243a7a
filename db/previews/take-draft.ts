import type { Observation } from '../../domain/previews/observation.ts';
import type { EnvironmentTransaction } from '../client.ts';

type Row = Omit<Observation, 'observedAt'> & { observedAt: Date | null };

/** Deletes a draft and returns its observation. Null where nothing was read, or the draft is gone. */
export async function takeDraft(tx: EnvironmentTransaction, previewId: string): Promise<Observation | null> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `DELETE FROM preview_drafts WHERE id = ?
     RETURNING observed_at AS "observedAt", preconditions, blocks, refusal, summary`,
    [previewId],
  );
  const row = rows[0];
  return row === undefined || row.observedAt === null ? null : { ...row, observedAt: row.observedAt };
}
