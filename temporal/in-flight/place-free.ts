import type { InFlightKind } from '../../domain/in-flight.ts';
import { invocationWorkflowId } from '../invocations/invoke-action.ts';
import { messageWorkflowId, WAKE_SIGNAL } from '../messages/deliver-message.ts';

/** A signal to an invocation that waits to be dispatched: a place in flight is free, ask again. */
export const PLACE_FREE_SIGNAL = 'placeFree';

/** Who waits for a place of this kind, and what tells them that one is free. */
export function waiterOf(kind: InFlightKind, holder: string): { workflowId: string; signal: string } {
  return kind === 'dispatch'
    ? { workflowId: invocationWorkflowId(holder), signal: PLACE_FREE_SIGNAL }
    : { workflowId: messageWorkflowId(holder), signal: WAKE_SIGNAL };
}
