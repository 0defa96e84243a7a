import type { ActionDefinition } from '../../domain/actions.ts';
import type { Preparation } from '../../domain/adapters/adapter-descriptor.ts';
import { filesIn } from '../files/attached-bytes.ts';

/**
 * The longest time-out of a call that is sent within the workflow's own task. A call of a second or two saves a task and six events by
 * it; one of half a minute costs three more each eight seconds, and holds a slot of the workflows meanwhile (docs/performance.md).
 */
const SHORT_CALL_MS_MAX = 30_000;

/** Added to the time-out of a short call: from its claim to its first byte, and from its answer to its record. After that it is given up. */
export const SHORT_CALL_MARGIN_MS = 10_000;

/** Whether a call may be sent within the workflow's own task. Files are checked byte by byte before they are sent, which may take longer. */
export function isShortCall({ timeoutMs }: ActionDefinition, prepared: Preparation): boolean {
  if (timeoutMs > SHORT_CALL_MS_MAX || prepared.kind === 'invalid') return false;
  return filesIn(prepared.request.bodyParts).length === 0;
}
