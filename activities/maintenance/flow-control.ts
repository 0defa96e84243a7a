import { findLostLeases, findWaitingKeys } from '../../db/flow-control/directory.ts';
import type { FlowControlKeyRef } from '../../domain/flow-control/flow-control.ts';
import type { MessageRef } from '../../domain/messages/messages.ts';
import { grantKeys } from '../flow-control/grant-keys.ts';
import { LOST_AFTER_SECONDS, type SweepArea } from './sweep-rows.ts';

/**
 * Keys whose first message has been due for a while: the process that should have granted it may have died, or the pacer was
 * terminated. For a key that is only busy the grant changes nothing.
 */
export function waitingFlowControlKeys(
  dueForSeconds = LOST_AFTER_SECONDS,
): SweepArea<FlowControlKeyRef, 'wakeMessage' | 'paceFlowControl'> {
  return {
    find: (deps, page) => findWaitingKeys(deps.db, { dueForSeconds, ...page }),
    idOf: (ref) => ref.keyId,
    mend: (deps, refs) =>
      Promise.all(
        refs.map(({ keyId, workspaceId, environmentId }) => grantKeys(deps, { workspaceId, environmentId }, [keyId])),
      ),
    batchSize: 1,
  };
}

/**
 * Granted messages that nobody sends: the start after their grant was lost, or their workflow was terminated. The visit finds out which
 * it is, and returns the slot, or gives up the lost attempt.
 */
export function lostFlowControlLeases(olderThanSeconds = LOST_AFTER_SECONDS): SweepArea<MessageRef, 'wakeMessage'> {
  return {
    find: (deps, page) => findLostLeases(deps.db, { olderThanSeconds, ...page }),
    idOf: (ref) => ref.messageId,
    mend: (deps, refs) => Promise.all(refs.map((ref) => deps.wakeMessage(ref))),
    batchSize: 1,
  };
}
