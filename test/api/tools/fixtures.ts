import { planted, type RouteFixtures, unique } from '../suites/fixture.ts';

/** How many actions were planted below a name. */
const plantedBelow = new Map<string, number>();

export const fixtures: RouteFixtures = {
  'actions.exportTools': {
    // Only its own: other actions come and go, and their names are in another order each time.
    request: () => Promise.resolve({ query: { format: 'openai', actions: `${unique('payments.refund')}*` } }),
    async plantRow({ api, key, targetUrl }, { query }) {
      const start = (query?.['actions'] ?? '').replace('*', '');
      const count = (plantedBelow.get(start) ?? 0) + 1;
      plantedBelow.set(start, count);
      await planted(
        api.call('POST', '/api/v2/actions', {
          key,
          body: {
            name: `${start}-${count}`,
            description: 'Pays back a part of a payment.',
            adapter: { type: 'http.request', config: { method: 'POST', url: targetUrl } },
            inputSchema: {
              type: 'object',
              properties: {
                payment: { type: 'string' },
                amount: { type: 'integer' },
                note: { oneOf: [{ type: 'string' }] },
              },
              required: ['payment', 'amount'],
            },
          },
        }),
      );
    },
  },
};
