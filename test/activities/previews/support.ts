import { createAdapters } from '../../../activities/adapters/index.ts';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { planOf } from '../../../activities/invocations/read-facts.ts';
import { bindingRefusal } from '../../../activities/previews/binding-refusal.ts';
import { lockInvocationWork } from '../../../db/invocations/locks.ts';
import { readBinding, readLatestObservation } from '../../../db/previews/queries.ts';
import { putSecret, readSecretVersions } from '../../../db/secrets/secrets.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../domain/egress.ts';
import type { Refusal } from '../../../domain/refusals.ts';
import type { InvocationRef } from '../../../domain/refs.ts';
import type { ActivityWorld } from '../invocations/world.ts';

export const realAdapters = (): ActivityDependencies['adapterFor'] =>
  createAdapters({ egressAllow: parseEgressAllow(LOOPBACK_EGRESS) });

let secrets = 0;

/** Makes a secret with this value and returns its name. */
export async function newSecret(world: ActivityWorld, value?: string): Promise<string> {
  const name = `SECRET_${++secrets}`;
  await rotate(world, name, value);
  return name;
}

export function rotate(world: ActivityWorld, name: string, value = 'value'): Promise<unknown> {
  const { tenant } = world.database;
  return world.transaction((tx) => putSecret(tx, world.vault, { tenant, name, value }));
}

/** Runs as the superuser with every trigger off. */
export const tamper = (world: ActivityWorld, sql: string): Promise<unknown> =>
  world.database.asOwner(`SET session_replication_role = 'replica'; ${sql}`);

/** Checks as the reservation does, in a transaction that has locked the invocation. */
export async function recheck(
  world: ActivityWorld,
  { invocationId }: InvocationRef,
  {
    now = new Date(),
    adapterFor = realAdapters(),
  }: { now?: Date; adapterFor?: ActivityDependencies['adapterFor'] } = {},
): Promise<Refusal | null> {
  return world.transaction(async (tx) => {
    const work = await lockInvocationWork(tx, invocationId);
    if (!work) throw new Error('it was admitted');
    const plan = planOf({ adapterFor }, work);
    const record = await readBinding(tx, invocationId);
    const observation = await readLatestObservation(tx, invocationId);
    const secretVersions = await readSecretVersions(tx, plan.descriptor.secretNames(work.definition));
    return bindingRefusal(work, { ...plan, record, observation, secretVersions, now });
  });
}
