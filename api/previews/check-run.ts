import type { EnvironmentTransaction } from '../../db/client.ts';
import { findRunState } from '../../db/runs/queries.ts';
import { ServiceError, validationError } from '../../domain/errors.ts';
import { SPANS_AFTER_END_SECONDS } from '../../domain/runs/runs.ts';

/**
 * The invocation becomes a span of the run that it names, which must exist in the environment and still accept spans.
 *
 * @throws {ServiceError} VALIDATION_ERROR for no run of the environment; CONFLICT when it ended too long ago.
 */
export async function checkRun(tx: EnvironmentTransaction, runId: string | null): Promise<void> {
  if (runId === null) return;
  const run = await findRunState(tx, runId, SPANS_AFTER_END_SECONDS);
  if (run === null) {
    throw validationError([{ path: 'body.runId', message: 'no run of this environment has this id' }]);
  }
  if (!run.isClosed) return;
  throw new ServiceError('CONFLICT', {
    message: `The run has ${run.status} more than ${SPANS_AFTER_END_SECONDS / 60} minutes ago, and takes no spans: name a run that runs, or none.`,
  });
}
