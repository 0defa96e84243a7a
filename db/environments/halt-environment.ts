import type { AuditActor } from '../audit/record-audit.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { getEnvironment, type EnvironmentRecord } from './records.ts';

export interface HaltChange {
  environment: EnvironmentRecord;
  /** False where it was so already, and nothing changed. */
  changed: boolean;
}

/**
 * Halts an environment: once this has committed no dispatch of it is marked or taken up. Waits for the transactions that mark
 * one at this moment. One that is halted keeps its first moment and reason. Null where the workspace has none of that id.
 */
export async function haltEnvironment(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  id: string,
  halt: { reason: string; actor: AuditActor },
): Promise<HaltChange | null> {
  await lockHalt(tx, id);
  const halted = await tx('environments')
    .where({ id })
    .whereNull('halted_at')
    .update({
      halted_at: tx.fn.now(),
      halted_reason: halt.reason,
      halted_by: JSON.stringify({ type: halt.actor.type, id: halt.actor.id }),
    });
  return changeOf(tx, id, halted);
}

/** Ends the halt of an environment; one that runs stays as it is. Null where the workspace has none of that id. */
export async function resumeEnvironment(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  id: string,
): Promise<HaltChange | null> {
  await lockHalt(tx, id);
  const resumed = await tx('environments')
    .where({ id })
    .whereNotNull('halted_at')
    .update({ halted_at: null, halted_reason: null, halted_by: null });
  return changeOf(tx, id, resumed);
}

/** The other side of `readHalt`. PostgreSQL queues these locks, so a halt comes through however busy the environment is. */
async function lockHalt(tx: EnvironmentTransaction | WorkspaceTransaction, id: string): Promise<void> {
  await tx.raw('SELECT pg_advisory_xact_lock(halt_lock_of(?::uuid))', [id]);
}

async function changeOf(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  id: string,
  rows: number,
): Promise<HaltChange | null> {
  const environment = await getEnvironment(tx, id);
  return environment && { environment, changed: rows > 0 };
}
