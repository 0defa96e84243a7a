import type { EnvironmentTransaction } from '../../db/client.ts';
import { hasRun } from '../../db/runs/get-run.ts';
import { validationError } from '../../domain/errors.ts';

/** An invocation, or a preview of one, becomes a span of the run that it names: its environment must have the run. */
export async function checkRun(tx: EnvironmentTransaction, runId: string | null): Promise<void> {
  if (runId === null || (await hasRun(tx, runId))) return;
  throw validationError([{ path: 'body.runId', message: 'no run of this environment has this id' }]);
}
