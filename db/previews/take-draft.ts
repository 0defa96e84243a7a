import type { Observation } from '../../domain/previews/observation.ts';
import type { EnvironmentTransaction } from '../client.ts';

type Row = Omit<Observation, 'observedAt'> & { observedAt: Date | null };

/** Removes a draft and answers what was read for it; null where nothing was, or the draft is gone. */
export async function takeDraft(tx: EnvironmentTransaction, previewId: string): Promise<Observation | null> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `DELETE FROM preview_drafts WHERE id = ?
     RETURNING observed_at AS "observedAt", preconditions, blocks, refusal, summary`,
    [previewId],
  );
  const row = rows[0];
  return row === undefined || row.observedAt === null ? null : { ...row, observedAt: row.observedAt };
}
