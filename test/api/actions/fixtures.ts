import { nothing, planted, type RouteFixtures, unique } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

/** The input schema of every planted action, and a valid input. */
const refundSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['payment', 'amount'],
  properties: { payment: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
};
export const REFUND = { payment: 'pay_1002', amount: 1_250 };

function refundAction(url: string) {
  return {
    name: unique('refund.create'),
    description: 'Pays back a part of a payment.',
    adapter: {
      type: 'http.request',
      config: { method: 'POST', url, body: { payment: '{{input.payment}}', amount: '{{input.amount}}' } },
    },
    inputSchema: refundSchema,
  };
}

const refundImpact = [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }];

/** The name and id of a new action, plain by default. */
export function plantAction(
  { api, key, targetUrl }: World,
  over: { governed?: true; timeoutMs?: number } = {},
): Promise<{ id: string; name: string }> {
  const body = { ...refundAction(targetUrl), ...(over.governed === true ? { impact: refundImpact } : {}), ...over };
  return planted(api.call('POST', '/api/v2/actions', { key, body }));
}

/** One more version of an action. */
async function plantVersion({ api, key }: World, actionId: string): Promise<void> {
  const path = `/api/v2/actions/${actionId}`;
  const { timeoutMs } = await planted<{ timeoutMs: number }>(api.call('GET', path, { key }));
  const body = { timeoutMs: timeoutMs - 1_000 };
  await planted(api.call('PATCH', path, { key, body }));
}

/** The path parameter of a new action. */
export const action = async (world: World): Promise<FixtureRequest> => ({
  params: { ref: (await plantAction(world)).id },
});

export const fixtures: RouteFixtures = {
  'actions.list': { request: nothing, plantRow: (world) => plantAction(world) },
  'actions.create': {
    request: () =>
      Promise.resolve({
        body: { ...refundAction('https://api.payments.example/v1/refunds'), impact: refundImpact },
      }),
  },
  'actions.import': {
    request: () =>
      Promise.resolve({
        body: {
          document: {
            openapi: '3.1.0',
            info: { title: unique('Payments'), version: '1.0.0' },
            servers: [{ url: 'https://api.payments.example/v1' }],
            paths: { '/payments': { get: { operationId: unique('listPayments'), responses: {} } } },
          },
        },
      }),
  },
  'actions.get': { request: action },
  'actions.update': {
    request: async (world) => ({
      ...(await action(world)),
      body: { description: 'Pays back a part of a payment, at most 90 days after it.' },
    }),
  },
  'actions.archive': { request: action },
  'actions.versions.list': {
    request: action,
    plantRow: (world, { params }) => plantVersion(world, params?.['ref'] ?? ''),
    listedFrom: 'action_versions',
  },
  'actions.versions.get': {
    request: async (world) => ({ params: { ref: (await plantAction(world)).id, number: '1' } }),
  },
};
