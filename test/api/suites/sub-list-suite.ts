import { Client } from 'pg';
import { withoutTriggers } from '../../db/harness/plant.ts';
import { fixtureOf } from './fixtures.ts';
import { expectSuccess, rowsOf, type Suite } from './suite.ts';
import type { FixtureRequest, World } from './world.ts';

/**
 * Moves the rows of a table that name the request's parent into a sibling environment while `look` runs, then back. The parent itself
 * stays, where it is a row of another table. Nobody can make such rows: foreign keys and row-level security refuse them.
 */
async function whileMoved<T>(
  world: World,
  table: string,
  { params = {} }: FixtureRequest,
  look: () => Promise<T>,
): Promise<{ moved: number; seen: T }> {
  const { development, staging } = world.api.database.tenants;
  const owner = new Client({ connectionString: world.api.database.ownerUrl });
  await owner.connect();
  const move = async (from: string, to: string): Promise<number> => {
    const { rowCount } = await withoutTriggers(owner, () =>
      owner.query(
        `UPDATE ${table} t SET environment_id = $2 WHERE t.environment_id = $1
           AND EXISTS (SELECT FROM unnest($3::text[]) name WHERE position(name IN to_jsonb(t)::text) > 0)`,
        [from, to, Object.values(params)],
      ),
    );
    return rowCount ?? 0;
  };
  try {
    const moved = await move(development.environmentId, staging.environmentId);
    const seen = await look();
    await move(staging.environmentId, development.environmentId);
    return { moved, seen };
  } finally {
    await owner.end();
  }
}

/** A list under a parent names its rows by the parent's id alone: row-level security adds the environment. */
export const foreignSubLists: Suite = {
  name: 'foreignSubLists',
  title: 'lists nothing of another environment under its own parent',
  covers: (route) => route.of === 'environment' && route.paginated === true && route.path.includes('{'),
  async check(world, route) {
    const table = fixtureOf(route).listedFrom;
    if (table === undefined) return ['its fixture does not say in `listedFrom` which table its rows are of'];
    const request = await world.requestFor(route);
    await world.plantRow(route, request);
    const list = () => world.sendAllowed(route, request);
    const countOf = (reply: Awaited<ReturnType<typeof list>>): number =>
      rowsOf((reply.json as { data?: unknown } | undefined)?.data).length;
    const own = await list();
    if (countOf(own) === 0)
      return [...expectSuccess('its own key', own), 'it lists no row: the fixture has no plantRow'];
    const { moved, seen } = await whileMoved(world, table, request, list);
    const back = await list();
    const findings = moved === 0 ? [`no row of ${table} names its parent`] : [];
    // Where the parent is a row of the same table, it is not found either.
    if (seen.status !== 404) findings.push(...expectSuccess('its own parent', seen));
    if (countOf(seen) > 0) findings.push(`it lists ${countOf(seen)} rows of ${table} that are another environment's`);
    if (countOf(back) < countOf(own)) findings.push(`it lists ${countOf(back)} of its own ${countOf(own)} rows`);
    return findings;
  },
};
