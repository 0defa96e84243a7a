import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import { PROJECT_ROOT } from '../../architecture/source-tree.ts';
import type { RouteFixture, RouteFixtures } from './fixture.ts';

/** An area with routes: the declarations of `api/<area>/routes.ts` and the requests of `test/api/<area>/fixtures.ts`. */
export interface RouteArea {
  routes: readonly AnyRoute[];
  fixtures: RouteFixtures;
}

/** Every area of `api` that declares routes, by the name of its folder. */
export const ROUTE_AREAS: Readonly<Record<string, RouteArea>> = await collectAreas();

/** The path of an area's fixtures file, as messages to the developer name it. */
export function fixtureFileOf(area: string): string {
  return `test/api/${area}/fixtures.ts`;
}

/** Errors in the fixtures of these areas: a route without a fixture, a fixture without a route. Each names the file to change. */
export function fixtureFindings(areas: Readonly<Record<string, RouteArea>>): string[] {
  return Object.entries(areas).flatMap(([area, { routes, fixtures }]) => [
    ...routes.filter(({ id }) => !Object.hasOwn(fixtures, id)).map(({ id }) => missing(id, area)),
    ...Object.keys(fixtures)
      .filter((id) => !routes.some((route) => route.id === id))
      .map((id) => `${fixtureFileOf(area)} has a fixture '${id}', and api/${area}/routes.ts has no such route`),
  ]);
}

export function fixtureOf(route: AnyRoute): RouteFixture {
  const found = Object.entries(ROUTE_AREAS).find(([, { routes }]) => routes.some(({ id }) => id === route.id));
  if (found === undefined) throw new Error(`route ${route.id} is in no api/<area>/routes.ts: declare it in its area`);
  const [area, { fixtures }] = found;
  const fixture = fixtures[route.id];
  if (fixture === undefined) throw new Error(missing(route.id, area));
  return fixture;
}

function missing(id: string, area: string): string {
  return (
    `route ${id} has no fixture: add '${id}' to the export \`fixtures\` of ${fixtureFileOf(area)}. ` +
    'It says which request the route answers with success, and every suite covers it (test/README.md)'
  );
}

async function collectAreas(): Promise<Record<string, RouteArea>> {
  const areas: Record<string, RouteArea> = {};
  for (const area of readdirSync(path.join(PROJECT_ROOT, 'api')).sort()) {
    const declared = await exportsOf(`api/${area}/routes.ts`);
    if (declared === null) continue;
    const { fixtures = {} } = ((await exportsOf(fixtureFileOf(area))) ?? {}) as { fixtures?: RouteFixtures };
    areas[area] = { routes: Object.values(declared).filter(Array.isArray).flat() as AnyRoute[], fixtures };
  }
  return areas;
}

/** What a file of the project exports, by its path from the top. Null if there is no such file. */
export async function exportsOf(file: string): Promise<object | null> {
  const absolute = path.join(PROJECT_ROOT, file);
  if (!existsSync(absolute)) return null;
  return (await import(/* @vite-ignore */ pathToFileURL(absolute).href)) as object;
}
