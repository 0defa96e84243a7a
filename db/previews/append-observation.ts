import type { Observation } from '../../domain/previews/observation.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** Appends an observation of the provider for an invocation. Where two activities append at once, one fails and is run again. */
export async function appendObservation(
  tx: EnvironmentTransaction,
  invocationId: string,
  observation: Observation,
): Promise<void> {
  await tx.raw(
    `INSERT INTO observations (invocation_id, sequence, environment_id, observed_at, preconditions, blocks, refusal, summary)
     SELECT :invocationId, COALESCE(max(sequence), 0) + 1, current_environment_id(), :observedAt, :preconditions, :blocks,
       :refusal, :summary
     FROM observations WHERE invocation_id = :invocationId`,
    {
      invocationId,
      observedAt: observation.observedAt,
      preconditions: JSON.stringify(observation.preconditions),
      blocks: JSON.stringify(observation.blocks),
      refusal: observation.refusal === null ? null : JSON.stringify(observation.refusal),
      summary: observation.summary,
    },
  );
}
