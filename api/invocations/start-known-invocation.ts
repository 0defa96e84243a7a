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

/** Starts or finds the workflow, with the names in its row. */
export async function startKnownInvocation(
  { temporal, db, taskQueue }: KnownStarts,
  ref: InvocationRef,
): Promise<void> {
  const names = await db.oneStatement(ref, (tx) => namesOfInvocation(tx, ref.invocationId));
  // Withdrawn meanwhile: its workflow would find nothing.
  if (names !== null) await startInvocationWorkflow(temporal, ref, { ...names, eager: false, isOpen: true, taskQueue });
}
