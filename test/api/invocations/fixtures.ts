import { newId } from '../../../domain/ids.ts';
import { action, plantAction, REFUND } from '../actions/fixtures.ts';
import { nothing, planted, type RouteFixtures } from '../suites/fixture.ts';
import type { World } from '../suites/world.ts';

/** The id of an invocation whose workflow has not begun, by default of a new action. */
export async function plantInvocation(world: World, actionId?: string): Promise<string> {
  const id = newId('invocation');
  await world.api.database.asOwner(
    `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by)
     SELECT $1, v.environment_id, v.action_id, v.id, $1, $3, $4, $5
     FROM action_versions v WHERE v.action_id = $2`,
    [
      id,
      actionId ?? (await plantAction(world)).id,
      `sha256:${'b'.repeat(64)}`,
      JSON.stringify(REFUND),
      JSON.stringify({ type: 'api_key', id: newId('apiKey') }),
    ],
  );
  return id;
}

/** The ids of an invocation that was carried out, and of its effect. It needs a worker. */
export async function plantReceipt(world: World): Promise<{ id: string; effectId: string }> {
  const { api, key } = world;
  const { id: actionId } = await plantAction(world, { governed: true });
  const path = `/api/v2/actions/${actionId}/invoke`;
  const { id, effectId, status } = await planted<{ id: string; effectId: string | null; status: string }>(
    api.call('POST', path, { key, body: { input: REFUND, agentId: 'support-agent' } }),
  );
  if (effectId === null || status !== 'succeeded') throw new Error(`the invocation ${id} is ${status}`);
  return { id, effectId };
}

export const fixtures: RouteFixtures = {
  'actions.listInvocations': {
    request: action,
    listedFrom: 'invocations',
    plantRow: (world, { params }) => plantInvocation(world, params?.['ref']),
  },
  'actions.invoke': {
    request: async (world) => ({ ...(await action(world)), body: { input: REFUND } }),
    example: async (world) => ({
      params: { ref: (await plantAction(world, { governed: true })).name },
      body: { input: REFUND, agentId: 'support-agent' },
    }),
  },
  'invocations.list': {
    request: nothing,
    example: async (world) => {
      for (let row = 0; row < 2; row++) await plantReceipt(world);
      return { query: { agentId: 'support-agent' } };
    },
    plantRow: (world) => plantInvocation(world),
  },
  'invocations.get': {
    request: async (world) => ({ params: { id: await plantInvocation(world) } }),
    example: async (world) => ({ params: { id: (await plantReceipt(world)).id } }),
  },
};
