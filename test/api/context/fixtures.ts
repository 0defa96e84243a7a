import { conversation } from '../sessions/fixtures.ts';
import type { RouteFixtures } from '../suites/fixture.ts';

export const fixtures: RouteFixtures = {
  'context.assemble': {
    request: async (world) => ({
      body: { sessionId: (await conversation(world)).params.id, maxTokens: 2_000, format: 'anthropic' },
    }),
  },
};
