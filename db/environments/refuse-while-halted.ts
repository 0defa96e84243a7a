import { ServiceError } from '../../domain/errors.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { readHalt } from './read-halt.ts';

/** @throws {ServiceError} SERVICE_UNAVAILABLE to a publisher whose messages or events are not kept while the environment is halted. */
export async function refuseWhileHalted(tx: EnvironmentTransaction): Promise<void> {
  const halt = await readHalt(tx);
  if (halt === null) return;
  throw new ServiceError('SERVICE_UNAVAILABLE', {
    message:
      `The environment is halted since ${halt.haltedAt.toISOString()}: ${halt.reason}. Publish again when it is resumed, or with ` +
      'a key that holds messages:ingest; its messages are kept and delivered then.',
  });
}
