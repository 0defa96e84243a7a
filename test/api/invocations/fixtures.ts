import { newId } from '../../../domain/ids.ts';
import { action, plantAction } from '../actions/fixtures.ts';
import { nothing, type RouteFixtures } from '../suites/fixture.ts';
import type { World } from '../suites/world.ts';

/** The id of an invocation whose workflow has not begun, by default of a new action. */
export async function plantInvocation(world: World, actionId?: string): Promise<string> {
  const id = newId('invocation');
  await world.api.database.asOwner(
    `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by)
     SELECT $1, v.environment_id, v.action_id, v.id, $1, 'sha256:planted', '{}', '{"type":"api_key","id":"key_planted"}'
     FROM action_versions v WHERE v.action_id = $2`,
    [id, actionId ?? (await plantAction(world)).id],
  );
  return id;
}

export const fixtures: RouteFixtures = {
  'actions.listInvocations': {
    request: action,
    plantRow: (world, { params }) => plantInvocation(world, params?.['ref']),
  },
  'actions.invoke': { request: async (world) => ({ ...(await action(world)), body: { input: {} } }) },
  'invocations.list': { request: nothing, plantRow: (world) => plantInvocation(world) },
  'invocations.get': { request: async (world) => ({ params: { id: await plantInvocation(world) } }) },
};
