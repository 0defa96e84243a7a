import { conversation } from '../sessions/fixtures.ts';
import type { RouteFixtures } from '../suites/fixture.ts';

export const fixtures: RouteFixtures = {
  'sessions.context': { request: async (world) => ({ ...(await conversation(world)), query: { maxTokens: '2000' } }) },
  'context.assemble': {
    request: async (world) => ({
      body: { sessionId: (await conversation(world)).params.id, maxTokens: 2_000, format: 'anthropic' },
    }),
  },
};
