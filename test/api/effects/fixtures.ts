import type { AdapterCapabilities } from '../../../domain/actions.ts';
import { newId } from '../../../domain/ids.ts';
import { REFUND } from '../actions/fixtures.ts';
import { plantInvocation, plantReceipt } from '../invocations/fixtures.ts';
import { nothing, type RouteFixtures } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

const REFUNDS_URL = 'https://api.payments.example/v1/refunds';

/** The id of an effect that is ready to be sent; of a new invocation, unless one is named. */
export async function plantEffect(
  world: World,
  of: { invocationId?: string; capable?: Partial<AdapterCapabilities> } = {},
): Promise<string> {
  const id = newId('effect');
  const capabilities = {
    idempotent: false,
    idempotencyWindowSeconds: null,
    lookup: 'none',
    replay: false,
    preview: false,
    reversible: false,
    ...of.capable,
  };
  await world.api.database.asOwner(
    `INSERT INTO effects (id, environment_id, invocation_id, operation_key, action_name, version_id, adapter_type,
       adapter_version, capabilities, target, request, request_digest, impact, stage)
     SELECT $1, i.environment_id, i.id, i.operation_key, a.name, i.version_id, 'http.request', '1', $3, $4, $5, $6, $7, 'ready'
     FROM invocations i JOIN actions a ON a.id = i.action_id WHERE i.id = $2`,
    [
      id,
      of.invocationId ?? (await plantInvocation(world)),
      JSON.stringify(capabilities),
      JSON.stringify({ method: 'POST', url: REFUNDS_URL }),
      JSON.stringify({ method: 'POST', url: REFUNDS_URL, headers: {}, body: JSON.stringify(REFUND) }),
      `sha256:${'c'.repeat(64)}`,
      JSON.stringify([{ dimension: 'money', currency: 'usd', amount: REFUND.amount, bound: 'exact' }]),
    ],
  );
  return id;
}

const effect = async (world: World): Promise<FixtureRequest> => ({ params: { id: await plantEffect(world) } });
const receipt = async (world: World): Promise<FixtureRequest> => ({
  params: { id: (await plantReceipt(world)).effectId },
});

export const fixtures: RouteFixtures = {
  'effects.list': {
    request: nothing,
    example: async (world) => {
      for (let row = 0; row < 2; row++) await plantReceipt(world);
      return {};
    },
    plantRow: (world) => plantEffect(world),
  },
  'effects.get': { request: effect, example: receipt },
  'effects.verify': { request: effect, example: receipt },
  'effects.addNote': {
    request: async (world) => ({ ...(await effect(world)), body: { note: 'The customer was told on the phone.' } }),
  },
};
