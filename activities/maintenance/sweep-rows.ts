import { batchesOf } from '../../domain/batches-of.ts';
import type { ActivityDependencies } from '../dependencies.ts';

/** Younger rows still belong to the process that made them. */
export const LOST_AFTER_SECONDS = 30;

const PAGE_SIZE_MIN = 100;

export interface SweepPage {
  /** The id of the previous page's last row, or the empty string. */
  afterId: string;
  limit: number;
}

/** The dependencies of an area. `Needs` names those beside the database. */
export type SweepDependencies<Needs extends keyof ActivityDependencies = never> = Pick<
  ActivityDependencies,
  'db' | 'logger' | Needs
>;

/**
 * One kind of leftover that is found and mended once a minute. Each has a file beside this one, and a line in sweep-area.ts.
 */
export interface SweepArea<Row, Needs extends keyof ActivityDependencies = never> {
  /** Rows of every environment, in the order of their ids, after `afterId`. */
  find(deps: SweepDependencies<Needs>, page: SweepPage): Promise<Row[]>;
  idOf(row: Row): string;
  /** Must be harmless when repeated: a batch that fails is repeated row by row. */
  mend(deps: SweepDependencies<Needs>, rows: readonly Row[]): Promise<unknown>;
  /** How many rows `mend` takes at once: more than one where that is a single statement. */
  batchSize: number;
}

export interface Swept {
  seen: number;
  /** Rows that could not be mended; the log names each. The next sweep tries them again. */
  failed: number;
}

/** Goes through all rows of an area, page by page. A row that always fails does not hold up any other row. */
export async function sweepRows<Row, Needs extends keyof ActivityDependencies = never>(
  deps: SweepDependencies<Needs>,
  name: string,
  area: SweepArea<Row, Needs>,
): Promise<Swept> {
  const limit = Math.max(PAGE_SIZE_MIN, area.batchSize);
  const swept: Swept = { seen: 0, failed: 0 };
  for (let afterId = ''; ;) {
    const page = await area.find(deps, { afterId, limit });
    swept.seen += page.length;
    for (const batch of batchesOf(page, area.batchSize)) swept.failed += await mendBatch(deps, name, area, batch);
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return swept;
    afterId = area.idOf(last);
  }
}

/** Returns how many rows failed. */
async function mendBatch<Row, Needs extends keyof ActivityDependencies>(
  deps: SweepDependencies<Needs>,
  name: string,
  area: SweepArea<Row, Needs>,
  rows: readonly Row[],
): Promise<number> {
  try {
    await area.mend(deps, rows);
    return 0;
  } catch (error) {
    const [row] = rows;
    if (row !== undefined && rows.length === 1) {
      const context = { area: name, id: area.idOf(row), err: error };
      deps.logger.warn(context, 'the sweep could not mend a row: the next one tries again');
      return 1;
    }
  }
  let failed = 0;
  for (const row of rows) failed += await mendBatch(deps, name, area, [row]);
  return failed;
}
