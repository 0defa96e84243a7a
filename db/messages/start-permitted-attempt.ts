import type { EnvironmentTransaction } from '../client.ts';
import type { WantedPermit } from '../in-flight/acquire-permit.ts';
import type { MessageWork } from './lock-message.ts';
import { partitionOf, type Template } from './partition.ts';
import { beginAttempt, INSERT_ATTEMPT, type StartedAttempt } from './start-attempt.ts';

/**
 * Acquires a permit (`acquirePermit`) and starts an attempt where it is held, in one statement: the askers of a workspace follow one
 * another, so that each round trip between the two would hold up the next one. Without the permit, the position in the queue or null,
 * no attempt is started.
 */
export async function startPermittedAttempt(
  tx: EnvironmentTransaction,
  { id: messageId, retention }: Pick<MessageWork, 'id' | 'retention'>,
  wanted: WantedPermit,
  worker: string,
): Promise<{ position: number | null; attempt: null } | { position: 0; attempt: StartedAttempt }> {
  const { rows } = await tx.raw<{ rows: { position: number | null; number: number | null }[] }>(
    partitionOf({ id: messageId, retention })?.text(IN_PARTITION) ?? IN_CLASS,
    { messageId, retention, worker, ...wanted },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a function without a table answers one row');
  const { position, number } = row;
  if (position !== 0) return { position, attempt: null };
  if (number === null) throw new Error(`no attempt of message ${messageId} could be started`);
  return { position, attempt: { number } };
}

const startWith = (begin: string): string => `WITH asked AS MATERIALIZED (
    SELECT acquire_permit(:kind, :holder, :most, make_interval(secs => :leaseMs / 1000.0)) AS position),
  begun AS (${begin} AND (SELECT position FROM asked) = 0 RETURNING attempts, url, subscription_id),
  started AS (${INSERT_ATTEMPT})
  SELECT position, (SELECT number FROM started) AS number FROM asked`;
const IN_CLASS = startWith(beginAttempt());
const IN_PARTITION: Template = (within) => startWith(beginAttempt(within('id')));
