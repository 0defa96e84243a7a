import { GRANT_LEASE_MS } from '../../domain/in-flight.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Puts due messages into the queue behind others that wait, and returns those to be started: all of them if nobody waits. These then ask
 * for permits by themselves. `queueDeliveries` below says where to call it.
 */
export async function queueBehindOthers(tx: EnvironmentTransaction, messageIds: readonly string[]): Promise<string[]> {
  const starting = await queueDeliveries(tx, messageIds, null);
  if (starting === null) throw new Error('a cap that is not known was asked for');
  return starting;
}

/**
 * With fewer waiting ahead, the last release might find nobody yet, and the message would wait for the next look at free permits. It is
 * several times what a workspace usually has in flight.
 */
const MANY = 100;

/**
 * Puts a message into the queue in the transaction that accepts it, if so many wait that it is committed long before its turn.
 * 'nobody_waits': the message is to be started. Null: some wait, and the question is asked again after the commit (`queueBehindOthers`).
 */
export async function queueBehindMany(
  tx: EnvironmentTransaction,
  messageId: string,
): Promise<'queued' | 'nobody_waits' | null> {
  const { rows } = await tx.raw<{ rows: { queued: boolean | null }[] }>(
    'SELECT queue_behind_many(:messageId, :many) AS queued',
    { messageId, many: MANY },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a function without a table answers one row');
  if (row.queued === null) return null;
  return row.queued ? 'queued' : 'nobody_waits';
}

/**
 * Lets messages that are due queue for permits, in this order, before their workflows are started. Returns those whose workflows the
 * caller starts after the commit. `most`: how many deliveries the workspace may have in flight. Null: another transaction of the workspace
 * is asking at this moment, nothing was written, and the caller asks again.
 *
 * It is a statement of its own (`oneStatement`) after the commit that accepted them. Its commit does not wait for the disk: a crash
 * leaves messages without a row and without a workflow, which the sweep starts.
 */
export async function queueDeliveries(
  tx: EnvironmentTransaction,
  messageIds: readonly string[],
  most: number | null,
): Promise<string[] | null> {
  const { rows } = await tx.raw<{ rows: { starting: string[] | null }[] }>(
    `SELECT set_config('synchronous_commit', 'off', true),
       queue_deliveries(CAST(:messageIds AS text[]), CAST(:most AS integer), :leaseMs * interval '1 millisecond') AS starting`,
    { messageIds: [...messageIds], most, leaseMs: GRANT_LEASE_MS },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a function without a table answers one row');
  return row.starting;
}
