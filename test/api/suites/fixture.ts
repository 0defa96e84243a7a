import type { TestApi } from '../harness/test-api.ts';
import type { FixtureRequest, World } from './world.ts';

export interface RouteFixture {
  /** A request that the route answers with success; called again for each use. */
  request(world: World): Promise<FixtureRequest>;
  /** For a list: makes one more row that this request lists. */
  plantRow?(world: World, request: FixtureRequest): Promise<unknown>;
}

/** The export `fixtures` of `test/api/<area>/fixtures.ts`: one entry for each route of `api/<area>/routes.ts`, by its id. */
export type RouteFixtures = Readonly<Record<string, RouteFixture>>;

export const nothing = (): Promise<FixtureRequest> => Promise.resolve({});

/** The path parameter of a workspace's route. */
export const workspace = (world: World): Promise<FixtureRequest> =>
  Promise.resolve({ params: { workspaceId: world.api.database.tenants.development.workspaceId } });

/** A unique part of a name. */
export const some = (): string => Math.random().toString(36).slice(2);

/** The `data` of a reply; throws if the request was refused. */
export async function planted<Data>(call: ReturnType<TestApi['call']>): Promise<Data> {
  const { status, json, text } = await call;
  if (status >= 300) throw new Error(`the fixture was refused with ${status}: ${text}`);
  return (json as { data: Data }).data;
}
