import type { Client } from '@temporalio/client';
import type { Database } from '../../db/client.ts';
import { namesOfInvocation } from '../../db/invocations/queries.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import { PLACE_FREE_SIGNAL } from '../../temporal/in-flight/place-free.ts';
import { invokeActionStart } from '../../temporal/invocations/invoke-action.ts';
import { signalOrStart } from '../starts/start-workflow.ts';
import { startInvocationWorkflow } from './start-invocation-workflow.ts';

export interface KnownStarts {
  temporal: Client;
  db: Pick<Database, 'oneStatement'>;
  taskQueue: string;
}

/**
 * Starts or finds the workflow, with the names in its row. One that a recovery holds looks at its row at once: it may wait for a place in
 * flight, of which the database lost the request, so that nobody would grant it one.
 */
export async function startKnownInvocation(
  { temporal, db, taskQueue }: KnownStarts,
  ref: InvocationRef,
): Promise<void> {
  const found = await db.oneStatement(ref, (tx) => namesOfInvocation(tx, ref.invocationId));
  if (found === null) return; // Withdrawn meanwhile: its workflow would find nothing.
  const { isHeld, ...names } = found;
  if (isHeld) return signalOrStart(temporal, invokeActionStart(ref, taskQueue, names, true), PLACE_FREE_SIGNAL);
  await startInvocationWorkflow(temporal, ref, { ...names, eager: false, isOpen: true, taskQueue });
}
