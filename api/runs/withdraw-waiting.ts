import { inBatches } from '../../domain/batches-of.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import { cancelInvocationWorkflow } from '../invocations/cancel-invocation-workflow.ts';
import type { KnownStarts } from '../invocations/start-known-invocation.ts';

/** The caller waits for them, and other requests need Temporal too. */
const AT_ONCE = 10;

/** Cancels the workflows of invocations that wait, some at a time. The sweep finds those that this does not reach. */
export async function withdrawWaiting(deps: KnownStarts, waiting: readonly InvocationRef[]): Promise<void> {
  await inBatches(waiting, AT_ONCE, (ref) => cancelInvocationWorkflow(deps, ref));
}
