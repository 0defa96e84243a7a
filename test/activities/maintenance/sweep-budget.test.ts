import { beforeEach, describe, expect, test } from 'vitest';
import { createActivities } from '../../../activities/index.ts';
import { AREA_BUDGET_MS, type AreaBudget, areaBudget } from '../../../activities/maintenance/area-budget.ts';
import { type SweepArea, type Swept, sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { sweepSteps } from '../../../activities/maintenance/sweep-steps.ts';
import { untilNone } from '../../../activities/maintenance/until-none.ts';
import { ActivityWorld, activityEnvironment } from '../invocations/world.ts';

/** An area ends when its time is over, and the next sweep goes on; a worker that dies in one is noticed. */

const world = await ActivityWorld.start();
beforeEach(() => world.database.asOwner(`UPDATE installation SET sweep_stopped_at = '{}'`));

const ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
/** So slow that the third row of a sweep ends behind its budget. */
const ROW_MS = AREA_BUDGET_MS / 2.5;

let nowMs = 0;
const budget = (): AreaBudget => areaBudget(() => nowMs);

/** An area that leaves its rows as they are, with what was mended. A batch of several fails. */
function slowArea(change: Partial<SweepArea<string>> = {}): { area: SweepArea<string>; mended: string[] } {
  const mended: string[] = [];
  const area: SweepArea<string> = {
    find: (_deps, { afterId }) => Promise.resolve(ROWS.filter((row) => row > afterId)),
    idOf: (row) => row,
    mend: (_deps, rows) => {
      nowMs += ROW_MS;
      if (rows.length > 1) return Promise.reject(new Error('one of these stays'));
      mended.push(...rows);
      return Promise.resolve();
    },
    batchSize: 1,
    ...change,
  };
  return { area, mended };
}
const sweep = (area: SweepArea<string>, name = 'slow'): Promise<Swept> =>
  sweepRows(world.dependencies(), name, area, budget());

describe('an area whose rows are slow', () => {
  test('ends by its budget; the next sweep goes on behind its last row, and begins anew after the end', async () => {
    const { area, mended } = slowArea();
    expect(await sweep(area)).toEqual({ seen: 3, failed: 0 });
    expect(mended).toEqual(['a', 'b', 'c']);
    expect(await sweep(slowArea().area, 'another')).toEqual({ seen: 3, failed: 0 }); // each area has its own place
    expect(await sweep(area)).toEqual({ seen: 3, failed: 0 });
    expect(await sweep(area)).toEqual({ seen: 1, failed: 0 });
    expect(mended).toEqual(ROWS);
    await sweep(area);
    expect(mended).toEqual([...ROWS, 'a', 'b', 'c']);
  });

  test('goes on behind rows that always fail', async () => {
    const { area, mended } = slowArea();
    const mend: SweepArea<string>['mend'] = (deps, rows, own) =>
      area.mend(deps, rows, own).then(() => {
        if ('abc'.includes(rows[0] ?? '')) throw new Error('this one stays');
      });
    const failing = { ...area, mend };
    expect(await sweep(failing)).toEqual({ seen: 3, failed: 3 });
    expect(await sweep(failing)).toEqual({ seen: 3, failed: 0 });
    expect(mended.slice(3)).toEqual(['d', 'e', 'f']);
  });

  test('ends while a batch that failed is repeated row by row', async () => {
    const { area, mended } = slowArea({ batchSize: 100 });
    expect(await sweep(area)).toEqual({ seen: 2, failed: 0 });
    expect(mended).toEqual(['a', 'b']);
    expect(await sweep(area)).toEqual({ seen: 2, failed: 0 });
    expect(mended).toEqual(['a', 'b', 'c', 'd']);
  });

  test('mends the rest of a look in the next look, which may find the same rows', async () => {
    const { area, mended } = slowArea({ find: () => Promise.resolve(ROWS), isOneLook: true });
    for (let count = 0; count < 3; count++) await sweep(area);
    expect(mended).toEqual([...ROWS, 'a', 'b']);
  });

  test('mends as many at once as it says', async () => {
    let underWay = 0;
    const most: number[] = [];
    const mend = async (): Promise<void> => {
      most.push(++underWay);
      await Promise.resolve();
      underWay--;
    };
    expect(await sweep(slowArea({ mend, atOnce: 3 }).area)).toEqual({ seen: 7, failed: 0 });
    expect(most).toEqual([1, 2, 3, 1, 2, 3, 1]);
  });
});

test('a step that never comes to its end stops by the budget, and those behind it are called once all the same', async () => {
  const calls: string[] = [];
  const step = (id: string) => (_deps: unknown, own: AreaBudget) =>
    untilNone(own, () => {
      calls.push(id);
      nowMs += ROW_MS;
      return Promise.resolve(1);
    });
  const swept = await sweepSteps(
    world.dependencies(),
    'steps',
    { first: step('first'), second: step('second') },
    budget(),
  );
  expect(swept).toEqual({ seen: 4, failed: 0 });
  expect(calls).toEqual(['first', 'first', 'first', 'second']);
});

test('an area sends heartbeats while it is swept', async () => {
  await world.admit();
  await world.database.asOwner('UPDATE workflow_starts SET due_at = now()');
  const environment = activityEnvironment();
  const beats = new Promise<void>((resolve) => environment.on('heartbeat', () => resolve()));
  const dependencies = world.dependencies({ startInvocation: () => beats, heartbeatTimeoutMs: 50 });
  const { sweepArea } = createActivities(dependencies);
  expect(await environment.run(sweepArea, 'workflow-starts')).toEqual({ seen: 1, failed: 0 });
});
