import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { AttemptSettler } from '../../../activities/messages/attempt-settler.ts';
import { readSigners, sendDelivery } from '../../../activities/messages/claimed-deliveries.ts';
import type { EndedAttempt } from '../../../activities/messages/send-attempt.ts';
import type { SendRequest } from '../../../activities/adapters/http-request/send-request.ts';
import { claimMessages } from '../../../db/messages/claims.ts';
import type { MessageWork } from '../../../db/messages/message-work.ts';
import { readSealedSigningKeys } from '../../../db/signing-keys/signing-keys.ts';
import type { ActivityWorld } from '../invocations/world.ts';

/** The attempts of messages, one step of a claimer after the other. */

const CLAIM = { most: 50, share: 1_000, claim: 'test', worker: 'worker', leaseMs: 60_000, afterLane: '' };

/** Claims what is due: its attempts are on record, and nothing is sent. */
export async function claimDue(world: ActivityWorld): Promise<MessageWork[]> {
  return (await world.transaction((tx) => claimMessages(tx, CLAIM))).works;
}

/** One attempt of each message that is due. By default nobody is told of its end. */
export async function attemptDue(
  world: ActivityWorld,
  overrides: Partial<ActivityDependencies> = {},
): Promise<EndedAttempt[]> {
  const { tenant } = world.database;
  const ignored = (): Promise<void> => Promise.resolve();
  const deps = world.dependencies({ wakeMessage: ignored, tellMessage: ignored, ...overrides });
  const [{ works }, keys] = await world.transaction((tx) =>
    tx.last(
      () => claimMessages(tx, CLAIM),
      () => readSealedSigningKeys(tx),
    ),
  );
  const signersOf = await readSigners(world.database, tenant, works, keys);
  const ended = await Promise.all(works.map((work) => sendDelivery(deps, tenant, work, signersOf(work))));
  const settler = new AttemptSettler(deps);
  await Promise.all(ended.map((attempt) => settler.settle(tenant, attempt)));
  await settler.drained();
  return ended;
}

/** A destination that answers so. */
export function answering(status: number, ...headers: [name: string, value: string][]): SendRequest {
  return () => Promise.resolve({ kind: 'response', response: { status, headers, body: Buffer.alloc(0) } });
}
