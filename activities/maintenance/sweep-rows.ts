import { findSweepPositions, keepSweepPosition } from '../../db/maintenance/sweep-positions.ts';
import { batchesOf } from '../../domain/batches-of.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { type AreaBudget, areaBudget } from './area-budget.ts';

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

/** One kind of leftover that is found and mended once a minute, named in sweep-area.ts. */
export interface SweepArea<Row, Needs extends keyof ActivityDependencies = never> {
  /** Rows of every environment, in the order of their ids, after `afterId`. */
  find(deps: SweepDependencies<Needs>, page: SweepPage): Promise<Row[]>;
  idOf(row: Row): string;
  /** Must be repeatable: a batch that fails is repeated row by row. A long repair checks the budget between steps. */
  mend(deps: SweepDependencies<Needs>, rows: readonly Row[], budget: AreaBudget): Promise<unknown>;
  /** How many rows `mend` takes at once: more than one where that is a single statement. */
  batchSize: number;
  /** How many batches are under way at once, where most of their time is a wait for others. By default one. */
  atOnce?: number;
  /** One call of `find` is the whole look of a sweep: the database bounds it, and remembers how far it came. */
  isOneLook?: boolean;
}

export interface Swept {
  seen: number;
  /** Rows that could not be mended; the log names each. The next sweep tries them again. */
  failed: number;
}

interface Sweeping<Row, Needs extends keyof ActivityDependencies> {
  deps: SweepDependencies<Needs>;
  name: string;
  area: SweepArea<Row, Needs>;
  budget: AreaBudget;
}

/** Goes through all rows, page by page, past rows that always fail. The next sweep continues where the budget ended. */
export async function sweepRows<Row, Needs extends keyof ActivityDependencies = never>(
  deps: SweepDependencies<Needs>,
  name: string,
  area: SweepArea<Row, Needs>,
  budget: AreaBudget = areaBudget(),
): Promise<Swept> {
  const limit = Math.max(PAGE_SIZE_MIN, area.batchSize);
  const swept: Swept = { seen: 0, failed: 0 };
  const from = await positionOf(deps.db, name);
  for (let afterId = from, isEnd = false; !isEnd;) {
    const found = await area.find(deps, { afterId, limit });
    const page = area.isOneLook === true ? startingBehind(found, area, afterId) : found;
    isEnd = area.isOneLook === true || page.length < limit;
    for (const group of batchesOf([...batchesOf(page, area.batchSize)], area.atOnce ?? 1)) {
      const mended = await Promise.all(group.map((batch) => mendBatch({ deps, name, area, budget }, batch)));
      for (const { tried, failed } of mended) {
        swept.seen += tried.length;
        swept.failed += failed;
      }
      const last = mended.at(-1)?.tried.at(-1);
      if (last !== undefined) afterId = area.idOf(last);
      if (!budget.isOver()) continue;
      await keep(deps.db, name, afterId);
      deps.logger.info({ area: name, ...swept }, 'an area of the sweep had its time: the next sweep goes on');
      return swept;
    }
  }
  if (from !== '') await keep(deps.db, name, '');
  return swept;
}

/** One read is enough for the areas of a sweep, which follow each other. */
const POSITIONS_STAY_MS = 10_000;
const positionsRead = new WeakMap<object, { atMs: number; positions: ReturnType<typeof findSweepPositions> }>();

/**
 * Where the last sweep of an area ended before its end. It may be some seconds old: then rows are looked at again that another process has
 * just looked at.
 */
async function positionOf(db: SweepDependencies['db'], area: string): Promise<string> {
  let read = positionsRead.get(db);
  if (read === undefined || performance.now() - read.atMs > POSITIONS_STAY_MS) {
    read = { atMs: performance.now(), positions: findSweepPositions(db) };
    positionsRead.set(db, read);
    read.positions.catch(() => positionsRead.delete(db));
  }
  return (await read.positions)[area] ?? '';
}

async function keep(db: SweepDependencies['db'], area: string, position: string): Promise<void> {
  await keepSweepPosition(db, area, position);
  positionsRead.delete(db);
}

/** What a look found, beginning behind the row that the last sweep ended with: a look may find the same rows again. */
function startingBehind<Row, Needs extends keyof ActivityDependencies>(
  found: readonly Row[],
  { idOf }: SweepArea<Row, Needs>,
  position: string,
): Row[] {
  return [...found.filter((row) => idOf(row) > position), ...found.filter((row) => idOf(row) <= position)];
}

interface MendedBatch<Row> {
  /** All of the batch, unless it failed and the budget ended while its rows were repeated one by one. */
  tried: readonly Row[];
  failed: number;
}

async function mendBatch<Row, Needs extends keyof ActivityDependencies>(
  sweeping: Sweeping<Row, Needs>,
  rows: readonly Row[],
): Promise<MendedBatch<Row>> {
  const { deps, name, area, budget } = sweeping;
  try {
    await area.mend(deps, rows, budget);
    return { tried: rows, failed: 0 };
  } catch (error) {
    const [row] = rows;
    if (row !== undefined && rows.length === 1) {
      const context = { area: name, id: area.idOf(row), err: error };
      deps.logger.warn(context, 'the sweep could not mend a row: the next one tries again');
      return { tried: rows, failed: 1 };
    }
  }
  let failed = 0;
  for (const [index, row] of rows.entries()) {
    const mended = await mendBatch(sweeping, [row]);
    failed += mended.failed;
    if (budget.isOver()) return { tried: rows.slice(0, index + 1), failed };
  }
  return { tried: rows, failed };
}
