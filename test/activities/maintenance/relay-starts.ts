import type { SweepDependencies, Swept } from '../../../activities/maintenance/sweep-rows.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { workflowStarts } from '../../../activities/maintenance/workflow-starts.ts';
import type { StartKind } from '../../../db/maintenance/claim-workflow-starts.ts';
import type { TestDatabase } from '../../harness/database.ts';

type Relaying = Parameters<typeof workflowStarts.mend>[0];

/**
 * Lets the time of the starts of a kind come now, as the time between a crash and the sweep would, and relays them. It needs the starter of
 * that kind alone.
 */
export async function relayStarts(
  deps: SweepDependencies & Partial<Relaying>,
  database: Pick<TestDatabase, 'asOwner'>,
  kind: StartKind,
): Promise<Swept> {
  await database.asOwner(`UPDATE workflow_starts SET due_at = now() WHERE kind = $1`, [kind]);
  return sweepRows(deps as Relaying, 'workflow-starts', workflowStarts);
}

/** The ids of the records of a kind whose workflow is to run. */
export async function startsOf(database: Pick<TestDatabase, 'asOwner'>, kind: StartKind): Promise<string[]> {
  const rows = await database.asOwner<{ id: string }>('SELECT id FROM workflow_starts WHERE kind = $1 ORDER BY id', [
    kind,
  ]);
  return rows.map(({ id }) => id);
}
