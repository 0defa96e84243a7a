import { plantAction, REFUND } from '../actions/fixtures.ts';
import { planted, type RouteFixtures } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** The id of an unused preview of a governed action. */
async function plantPreview(world: World): Promise<string> {
  const { id } = await plantAction(world, { governed: true });
  const path = `/api/v2/actions/${id}/previews`;
  return (await planted<{ id: string }>(world.api.call('POST', path, { key: world.key, body: { input: REFUND } }))).id;
}

const preview = async (world: World): Promise<FixtureRequest> => ({ params: { id: await plantPreview(world) } });

export const fixtures: RouteFixtures = {
  'previews.create': {
    request: async (world) => ({
      params: { ref: (await plantAction(world, { governed: true })).id },
      body: { input: REFUND, expiresIn: 'PT1H' },
    }),
  },
  'previews.get': { request: preview },
  'previews.refresh': {
    request: preview,
    example: async (world) => ({ ...(await preview(world)), body: { expiresIn: 'PT1H' } }),
  },
};
