import type { EnvironmentTransaction } from '../client.ts';
import { type AttemptEnd, CLOSE_ATTEMPT, closeAttempt, closingValues } from './close-attempt.ts';
import { lockAttempted, type MessageWork } from './lock-message.ts';
import { partitionOf, type Template } from './partition.ts';
import { MOVE_MESSAGE, movingValues, type Outcome, recordOutcome } from './record-outcome.ts';

/**
 * Closes an attempt (`closeAttempt`) and writes its outcome to its message (`recordOutcome`), under the message's lock. For a young message
 * that does not fail both are one statement, sent together with the lock. Returns false where the attempt was closed before: nothing is
 * changed then.
 */
export async function endAttempt(
  tx: EnvironmentTransaction,
  work: Pick<MessageWork, 'id' | 'retention'>,
  number: number,
  end: AttemptEnd,
  outcome: Outcome,
): Promise<boolean> {
  const { id: messageId } = work;
  const partition = outcome.kind === 'failed' ? null : partitionOf(work);
  // Sent together. The message is locked first, as by everybody who changes it.
  if (partition === null) {
    const [locked, closed] = await tx.inOrder(
      () => lockAttempted(tx, work),
      () => closeAttempt(tx, work, number, end),
    );
    if (closed) await recordOutcome(tx, { id: messageId, ...locked }, end.seen.status, outcome);
    return closed;
  }
  const [, { rows }] = await tx.inOrder(
    () => lockAttempted(tx, work),
    () =>
      tx.raw<{ rows: { closed: boolean }[] }>(partition.text(CLOSE_AND_MOVE), {
        messageId,
        number,
        ...closingValues(end),
        ...movingValues(outcome),
      }),
  );
  return rows[0]?.closed === true;
}

const CLOSE_AND_MOVE: Template = (within) => `WITH closed AS (${CLOSE_ATTEMPT} AND ${within('message_id')} RETURNING 1),
  moved AS (${MOVE_MESSAGE} AND ${within('id')} AND EXISTS (SELECT FROM closed) RETURNING 1)
  SELECT EXISTS (SELECT FROM closed) AS closed`;
