import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../domain/json.ts';
import { startTestService } from '../../../harness/service.ts';
import { startTarget } from '../../../harness/target.ts';
import { BODIES } from './habits/bodies.ts';
import { WHOLE } from './habits/documents.ts';
import type { Habit } from './habits/habit.ts';
import { PARAMETERS } from './habits/parameters.ts';
import { PATHS } from './habits/paths.ts';
import { SCHEMAS } from './habits/schemas.ts';
import { importedBy, type ImportedOperation } from './support.ts';

const HABITS: readonly Habit[] = [...PATHS, ...PARAMETERS, ...BODIES, ...SCHEMAS, ...WHOLE];

const [service, target] = await Promise.all([startTestService(), startTarget()]);

/** The first operation of a description, imported under a name of its own. */
async function importing({ document }: Habit, index: number): Promise<ImportedOperation> {
  const aimed = JSON.stringify(document).replaceAll('{target}', target.baseUrl);
  const body = { document: JSON.parse(aimed) as JsonObject | string, namePrefix: `h${index}.` };
  const [first] = importedBy(await service.post('/api/v2/actions/import', body));
  if (first === undefined) throw new Error('nothing was imported');
  return first;
}

it('are at least forty', () => {
  expect(HABITS.length).toBeGreaterThanOrEqual(40);
});

const numbered = HABITS.map((habit, index) => ({ ...habit, index }));

it.each(numbered.filter(({ skipped }) => skipped !== undefined))(
  'is skipped, with the reason: $what',
  async (habit) => {
    const row = await importing(habit, habit.index);
    expect(row).toMatchObject({ status: 'skipped', reason: expect.stringMatching(habit.skipped ?? '') as string });
  },
);

it.each(numbered.filter(({ skipped }) => skipped === undefined))('is sent as it says: $what', async (habit) => {
  await target.reset();
  const row = await importing(habit, habit.index);
  expect(row.status).toBe('created');
  expect(JSON.stringify([row.reason, row.warnings])).toMatch(habit.told ?? /^/);
  const invoking = (input: JsonObject) => service.post(`/api/v2/actions/${row.name}/invoke`, { input });
  const [wrong, message] = habit.refused ?? [null, /^/];
  const refusals = wrong === null ? [] : [await invoking(wrong)];
  for (const { status, text } of refusals)
    expect([status, text]).toEqual([400, expect.stringMatching(message) as string]);
  const reply = await invoking(habit.input ?? {});
  expect([200, 202], reply.text).toContain(reply.status);
  await expect.poll(async () => (await target.requests()).length).toBe(1);
  const [seen] = await target.requests();
  const { headers = {}, ...expected } = habit.sent ?? {};
  expect(seen).toMatchObject(expected);
  expect(Object.fromEntries(Object.keys(headers).map((name) => [name, seen?.headers[name]]))).toEqual(headers);
});
