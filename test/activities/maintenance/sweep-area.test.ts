import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createActivities } from '../../../activities/index.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { listSweepAreas } from '../../../activities/maintenance/sweep-area.ts';
import type { Database } from '../../../db/client.ts';
import { ActivityWorld } from '../invocations/world.ts';
import { collectSweeps, namesOf } from './sweep-declarations.ts';

/** Every area of the sweep with a row, or a step, that always fails: only that one fails; it is named in the log and counted. */
const DECLARED = await collectSweeps();

const world = await ActivityWorld.start();

interface Line {
  area?: string;
  id?: string;
}

const areaOf = (name: string): string => name.split('/')[0] ?? name;

/** The activity, with what it logs. */
function sweeping(overrides: Partial<ActivityDependencies>): { sweepArea: (name: string) => unknown; lines: Line[] } {
  const lines: Line[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  return { sweepArea: createActivities(world.dependencies({ ...overrides, logger })).sweepArea, lines };
}

test('every area of the sweep is declared, and nothing else is', async () => {
  const areas = await listSweepAreas()();
  const declared = [...new Set(namesOf(DECLARED).map(areaOf))];
  const undeclared = areas.filter((name) => !declared.includes(name));
  const remedy = (name: string): string =>
    `${name}: declare it in \`sweeps\` of test/activities/<its area>/sweeps.ts (test/README.md)`;
  expect(undeclared.map(remedy)).toEqual([]);
  expect(declared.sort()).toEqual(areas.sort());
});

describe('a step that always fails costs itself alone', () => {
  const cases = Object.entries(DECLARED.steps).flatMap(([area, steps]) =>
    Object.keys(steps).map((step) => [area, step, steps] as const),
  );
  test.each(cases)('in the area %s: %s', async (area, broken, steps) => {
    const called = new Set<string>();
    const raw = <Result>(_: unknown, sql: string): Promise<Result> => {
      const name = /^SELECT (\w+)\(/.exec(sql)?.[1] ?? sql;
      called.add(name);
      if (name === steps[broken]) return Promise.reject(new Error('this one is refused'));
      return Promise.resolve({ rows: [] } as Result); // it finds nothing to do
    };
    const db = Object.assign(Object.create(world.database.db) as Database, {
      directory: { ...world.database.db.directory, raw },
    });
    const { sweepArea, lines } = sweeping({ db });
    expect(await sweepArea(area)).toEqual({ seen: 1, failed: 1 });
    expect([...called]).toEqual(Object.values(steps));
    expect(lines.filter((line) => line.id !== undefined)).toMatchObject([{ area, id: broken }]);
    expect(lines.at(-1)).toMatchObject({ area, seen: 1, failed: 1, level: 50 });
  });
});

describe('a row that always fails costs itself alone', () => {
  test.each(Object.entries(DECLARED.rows))('in the area %s', async (declared, plant) => {
    const name = areaOf(declared);
    await world.database.asOwner('DELETE FROM workflow_starts'); // of other cases
    const { ids, mended, overrides = {}, end, checkKept } = await plant(world);
    const { sweepArea, lines } = sweeping(overrides);
    expect(await sweepArea(name)).toEqual({ seen: 3, failed: 1 });
    // Several are mended at once, in any order.
    expect(new Set(await mended())).toEqual(new Set([ids[0], ids[2]]));
    expect(lines.filter((line) => line.id !== undefined)).toMatchObject([{ area: name, id: ids[1] }]);
    expect(lines.at(-1)).toMatchObject({ area: name, seen: 3, failed: 1, level: 50 });
    await checkKept?.();
    if (end === undefined) return;
    await end();
    const left = await world.database.asOwner('SELECT id FROM workflow_starts WHERE id = ANY ($1)', [ids]);
    expect(left, 'the trigger of the table must delete the start of a record that is at rest').toEqual([]);
  });
});
