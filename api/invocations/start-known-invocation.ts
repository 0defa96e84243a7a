import type { Client } from '@temporalio/client';
import type { Database } from '../../db/client.ts';
import { namesOfInvocation } from '../../db/invocations/queries.ts';
import type { InvocationRef } from '../../domain/refs.ts';
import { startInvocationWorkflow } from './start-invocation-workflow.ts';

export interface KnownStarts {
  temporal: Client;
  db: Pick<Database, 'oneStatement'>;
  taskQueue: string;
}

/** Starts the workflow of an invocation, or finds it running, under the names that its row has. */
export async function startKnownInvocation(
  { temporal, db, taskQueue }: KnownStarts,
  ref: InvocationRef,
): Promise<void> {
  const names = await db.oneStatement(ref, (tx) => namesOfInvocation(tx, ref.invocationId));
  // Withdrawn since it was found: its workflow would find nothing, and end.
  if (names !== null) await startInvocationWorkflow(temporal, ref, { ...names, eager: false, taskQueue });
}
