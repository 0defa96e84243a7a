import { ServiceError } from '../../domain/errors.ts';
import type { EnvironmentTransaction } from '../client.ts';

const FOREIGN_KEY_VIOLATION = '23503';

/**
 * Deletes a key. Throws CONFLICT where messages of it wait or are in flight, also where a publish that commits now brings the first
 * one: the foreign key decides. Ended messages keep its name.
 */
export async function deleteKey(tx: EnvironmentTransaction, keyId: string): Promise<void> {
  await tx.raw('DELETE FROM flow_control_keys WHERE id = ?', [keyId]).catch((error: unknown) => {
    const facts = error as { code?: unknown; constraint?: unknown } | null;
    if (facts?.code !== FOREIGN_KEY_VIOLATION || facts.constraint !== 'flow_control_queue_key') throw error;
    const message =
      `Flow-control key ${keyId} has messages that wait or are in flight. Let them end, or cancel them, then delete it. ` +
      'Its pause holds them meanwhile.';
    throw new ServiceError('CONFLICT', { message, cause: error });
  });
}
