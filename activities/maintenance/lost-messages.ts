import { findLostMessages, LOOKED_AT_MAX } from '../../db/messages/directory.ts';
import type { MessageRef } from '../../domain/messages/messages.ts';
import { LOST_AFTER_SECONDS, type SweepArea } from './sweep-rows.ts';

/** Longer than any attempt takes. A message that has not moved by then lost its workflow, or waits for a worker. */
const OVERDUE_SECONDS = 3_600;

/**
 * Restarts messages that were accepted a while ago and never begun, or are long overdue: an API process may have died
 * between its commit and its start, or an operator terminated the workflow. Waking a running workflow changes nothing. Where more
 * than LOOKED_AT_MAX wait, each sweep looks at a part of them.
 */
export function lostMessages(olderThanSeconds = LOST_AFTER_SECONDS): SweepArea<MessageRef, 'wakeMessage'> {
  return {
    find: (deps) =>
      findLostMessages(deps.db, { olderThanSeconds, overdueBySeconds: OVERDUE_SECONDS, most: LOOKED_AT_MAX }),
    idOf: (ref) => ref.messageId,
    mend: (deps, refs) => Promise.all(refs.map((ref) => deps.wakeMessage(ref))),
    batchSize: 1,
    atOnce: 10,
    isOneLook: true,
  };
}
