import { isId } from '../../domain/ids.ts';
import { type InFlightKind, workflowOfHolder } from '../../domain/in-flight.ts';
import { invocationWorkflowId } from '../../temporal/invocations/invoke-action.ts';
import { replayWorkflowId } from '../../temporal/reconciliation/replay-effect.ts';
import { PLACE_FREE_SIGNAL } from '../../temporal/in-flight/place-free.ts';

/** The workflow that waits for a place of this kind, and the signal that tells it that one is free. */
export function waiterOf(kind: InFlightKind, holder: string): { workflowId: string; signal: string } {
  switch (kind) {
    case 'dispatch': {
      const workflowId = isId('attempt', holder) ? replayWorkflowId(holder) : invocationWorkflowId(holder);
      return { workflowId, signal: PLACE_FREE_SIGNAL };
    }
    case 'provider_read':
    case 'notification':
    case 'maintenance':
      return { workflowId: workflowOfHolder(holder), signal: PLACE_FREE_SIGNAL };
  }
}
