import { deleteRunsOutsideOfRanges, dropOldRunPartition, makeRunPartitions } from '../../db/runs/keep-partitions.ts';
import type { SweepDependencies, Swept } from './sweep-rows.ts';
import { CALLS_MAX, untilNone } from './until-none.ts';

/** Makes the partitions of runs for later, and lets old ones go: docs/retention.md. Each step may run again after a crash anywhere. */
export async function sweepRunPartitions(deps: SweepDependencies): Promise<Swept> {
  const made = await makeRunPartitions(deps.db);
  let dropped = 0;
  for (; dropped < CALLS_MAX; dropped++) {
    const partition = await dropOldRunPartition(deps.db);
    if (partition === null) break;
    deps.logger.info({ partition }, 'a partition of runs had its time and is dropped');
  }
  const deleted = await untilNone(() => deleteRunsOutsideOfRanges(deps.db));
  return { seen: made + dropped + deleted, failed: 0 };
}
