import type { InFlightKind } from '../../domain/in-flight.ts';
import { invocationWorkflowId } from '../invocations/invoke-action.ts';
import { messageWorkflowId, WAKE_SIGNAL } from '../messages/deliver-message.ts';

/** A signal to an invocation that waits for its dispatch: an in-flight slot is free, ask again. */
export const PLACE_FREE_SIGNAL = 'placeFree';

/** The workflow that waits for a slot of this kind, and the signal that tells it that one is free. */
export function waiterOf(kind: InFlightKind, holder: string): { workflowId: string; signal: string } {
  return kind === 'dispatch'
    ? { workflowId: invocationWorkflowId(holder), signal: PLACE_FREE_SIGNAL }
    : { workflowId: messageWorkflowId(holder), signal: WAKE_SIGNAL };
}
