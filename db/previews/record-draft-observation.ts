import type { Observation } from '../../domain/previews/observation.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Stores the observation for a draft; the API makes the preview of it. Does nothing where the draft was given up. */
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
