import { recordAudit } from '../../db/audit/record-audit.ts';
import type { Tenant } from '../../db/client.ts';
import { cancelMessage } from '../../db/messages/changes.ts';
import { handOverMessage, handOverPaced } from '../../db/messages/pacing.ts';
import type { DeliveryStep, MessageEnd, MessageRef } from '../../domain/messages/messages.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { startWaitingFiring } from './start-waiting-firing.ts';
import { RecordGone } from '../../domain/record-gone.ts';

const PAGE_SIZE = 1_000;

/** Hands a message over to its lane when its time has come. It decides from the row, so it may run any number of times. */
export function handOverMessageWhenDue({ db }: Pick<ActivityDependencies, 'db'>) {
  return async ({ messageId, workspaceId, environmentId }: MessageRef): Promise<DeliveryStep> => {
    const found = await db.oneStatement({ workspaceId, environmentId }, (tx) => handOverMessage(tx, messageId));
    if (found === null) throw new RecordGone(`message ${messageId} is not there`);
    if (found.state === 'ended') return { next: 'end', status: found.status };
    return found.state === 'timed' ? { next: 'wait', dueInMs: found.dueInMs } : { next: 'attempt' };
  };
}

/** The look of an environment's pacer. Returns the milliseconds until the next message is due, or null where none waits. */
export function handOverPacedMessages({ db }: Pick<ActivityDependencies, 'db'>) {
  return ({ workspaceId, environmentId }: Tenant): Promise<number | null> =>
    db.oneStatement({ workspaceId, environmentId }, (tx) => handOverPaced(tx, PAGE_SIZE));
}

/**
 * Cancels a message whose workflow an operator has cancelled in Temporal. Null while an attempt is under way, which nobody can call back:
 * ask again when it has ended.
 */
export function cancelDelivery(deps: Pick<ActivityDependencies, 'db' | 'startFiring' | 'logger'>) {
  return async ({ messageId, workspaceId, environmentId }: MessageRef): Promise<MessageEnd | null> => {
    const result = await deps.db.withEnvironment({ workspaceId, environmentId }, async (tx) => {
      const done = await cancelMessage(tx, messageId);
      if (done === null) throw new RecordGone(`message ${messageId} is not there`);
      if ('inTheWay' in done) return done;
      const actor = { type: 'system', id: null } as const;
      const target = { type: 'message', id: messageId } as const;
      await recordAudit(tx, { workspaceId, actor, action: 'message.cancelled', target });
      return done;
    });
    if ('inTheWay' in result) return result.inTheWay === 'attempt' ? null : result.inTheWay;
    const { scheduleId } = result.cancelled;
    if (scheduleId !== null) await startWaitingFiring(deps, { workspaceId, environmentId }, scheduleId);
    return 'cancelled';
  };
}
