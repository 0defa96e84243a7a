import { ActivityFailure, log, proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { AreaResult, SweepResult } from '../../temporal/maintenance/sweep-maintenance.ts';
import { searchAttributes } from '../../temporal/search-attributes.ts';
import { onQueue, SWEEP_OPTIONS } from '../activity-options.ts';

/**
 * Finds and mends, once a minute, what a crash may leave behind: work without its workflow, rows past their time. Each area
 * is independent, so one that cannot be swept holds up no other.
 */
export async function sweepMaintenance(): Promise<SweepResult> {
  const { listSweepAreas } = proxyActivities<Activities>({
    ...SWEEP_OPTIONS,
    ...onQueue('maintenance'),
    summary: 'lists the areas of the sweep',
  });
  const names = await listSweepAreas();
  const results = await Promise.all(names.map(async (name) => [name, await sweep(name)] as const));
  const left = results.flatMap(([name, result]) => ('failed' in result && result.failed === 0 ? [] : [name]));
  const isWhole = left.length === 0;
  setCurrentDetails(
    isWhole ? 'SWEPT' : `SWEPT IN PART: see ${left.join(', ')} in the result and in the log of the worker`,
  );
  upsertSearchAttributes(searchAttributes({ stage: isWhole ? 'swept' : 'swept_in_part' }));
  return Object.fromEntries(results);
}

async function sweep(name: string): Promise<AreaResult> {
  const { sweepArea } = proxyActivities<Activities>({
    ...SWEEP_OPTIONS,
    ...onQueue('maintenance'),
    summary: `sweeps ${name}`,
  });
  try {
    return await sweepArea(name);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const reason = error.cause?.message ?? error.message;
    log.error('an area of the sweep is broken: the next sweep tries again', { area: name, reason });
    return { broken: reason };
  }
}
