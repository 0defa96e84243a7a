import type { AdapterCapabilities } from '../../../domain/actions.ts';
import { newId } from '../../../domain/ids.ts';
import { plantInvocation } from '../invocations/fixtures.ts';
import { nothing, type RouteFixtures } from '../suites/fixture.ts';
import type { FixtureRequest, World } from '../suites/world.ts';

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
     SELECT $1, environment_id, id, operation_key, 'planted', version_id, 'http.request', '1', $3, '{}', '{}',
       'sha256:planted', '[]', 'ready' FROM invocations WHERE id = $2`,
    [id, of.invocationId ?? (await plantInvocation(world)), JSON.stringify(capabilities)],
  );
  return id;
}

const effect = async (world: World): Promise<FixtureRequest> => ({ params: { id: await plantEffect(world) } });

export const fixtures: RouteFixtures = {
  'effects.list': { request: nothing, plantRow: (world) => plantEffect(world) },
  'effects.get': { request: effect },
  'effects.verify': { request: effect },
  'effects.addNote': { request: async (world) => ({ ...(await effect(world)), body: { note: 'looked into it' } }) },
};
