import type { Observation } from '../../domain/previews/observation.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Keeps what was read for a draft, for the API to make the preview of. Nothing happens where the draft was given up. */
export async function recordDraftObservation(
  tx: EnvironmentTransaction,
  previewId: string,
  observation: Observation,
): Promise<void> {
  await tx.raw(
    `UPDATE preview_drafts SET observed_at = :observedAt, preconditions = :preconditions, blocks = :blocks, refusal = :refusal,
       summary = :summary
     WHERE id = :previewId`,
    {
      previewId,
      observedAt: observation.observedAt,
      preconditions: JSON.stringify(observation.preconditions),
      blocks: JSON.stringify(observation.blocks),
      refusal: observation.refusal === null ? null : JSON.stringify(observation.refusal),
      summary: observation.summary,
    },
  );
}
