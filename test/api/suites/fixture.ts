import { randomUUID } from 'node:crypto';
import type { TestApi } from '../harness/test-api.ts';
import type { FixtureRequest, World } from './world.ts';

export interface RouteFixture {
  /** A request that the route answers with success; called again for each use. */
  request(world: World): Promise<FixtureRequest>;
  /** For the API reference, where another request shows more than the suites need; rows are not planted for it. It has a worker. */
  example?(world: World): Promise<FixtureRequest>;
  /** For a list: makes one more row that this request lists. */
  plantRow?(world: World, request: FixtureRequest): Promise<unknown>;
  /** For a list under a parent: the table that its rows are of. */
  listedFrom?: string;
}

/** The export `fixtures` of `test/api/<area>/fixtures.ts`: one entry for each route of `api/<area>/routes.ts`, by its id. */
export type RouteFixtures = Readonly<Record<string, RouteFixture>>;

export const nothing = (): Promise<FixtureRequest> => Promise.resolve({});

/** The path parameter of a workspace's route. */
export const workspace = (world: World): Promise<FixtureRequest> =>
  Promise.resolve({ params: { workspaceId: world.api.database.tenants.development.workspaceId } });

/** Every unique part that was made, so that recorded examples can leave it out. */
export const uniqueParts = new Set<string>();

/** A name of its own: this one and a unique part. */
export function unique(name: string): string {
  const part = randomUUID().replaceAll('-', '').slice(0, 10);
  uniqueParts.add(part);
  return `${name}-${part}`;
}

/** The `data` of a reply; throws if the request was refused. */
export async function planted<Data>(call: ReturnType<TestApi['call']>): Promise<Data> {
  const { status, json, text } = await call;
  if (status >= 300) throw new Error(`the fixture was refused with ${status}: ${text}`);
  return (json as { data: Data }).data;
}
