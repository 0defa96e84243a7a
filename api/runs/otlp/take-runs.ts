import type { EnvironmentTransaction } from '../../../db/client.ts';
import { findTracesWithRun } from '../../../db/runs/changes.ts';
import type { RunSpans } from '../../../domain/runs/runs-of-traces.ts';

/** A run costs some 15 ms of transactions. A batch of an exporter has spans of a few traces. */
const NEW_RUNS_MAX = 100;
/** Runs that are there cost less than new ones. */
const KNOWN_RUNS_PER_REQUEST = 10;

export interface TakenRuns {
  taken: RunSpans[];
  /** Why spans were rejected, one text for each. */
  rejected: string[];
  /** As how many requests the runs count (docs/plans-and-limits.md, "Rate limits"). */
  cost: number;
}

/**
 * Which runs of a request are written: those that are there, and NEW_RUNS_MAX others. Another request may make one of these meanwhile: it
 * counts as new all the same.
 */
export async function takeRuns(tx: EnvironmentTransaction, groups: readonly RunSpans[]): Promise<TakenRuns> {
  const unnamed = groups.filter(({ runId }) => runId === null).map(({ traceId }) => traceId);
  const known = await findTracesWithRun(tx, unnamed);
  const found: TakenRuns = { taken: [], rejected: [], cost: 0 };
  let made = 0;
  for (const group of groups) {
    const isNew = group.runId === null && !known.has(group.traceId);
    if (isNew) made += 1;
    if (isNew && made > NEW_RUNS_MAX) {
      found.rejected.push(
        ...Array.from(
          { length: group.spanCount },
          () => `a request makes at most ${NEW_RUNS_MAX} runs: send fewer new traces at once`,
        ),
      );
    } else found.taken.push(group);
  }
  const makes = Math.min(made, NEW_RUNS_MAX);
  found.cost = makes + Math.ceil((found.taken.length - makes) / KNOWN_RUNS_PER_REQUEST);
  return found;
}
