import type { AuditActor } from '../audit/record-audit.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { getEnvironment, type EnvironmentRecord } from './records.ts';

export interface HaltChange {
  environment: EnvironmentRecord;
  /** False where it was so already, and nothing changed. */
  changed: boolean;
}

/**
 * Halts an environment: once this has committed no dispatch of it is marked or taken up. It waits for transactions that are
 * marking one. A halted environment keeps its first moment and reason. Null where the workspace has none of that id.
 */
export async function haltEnvironment(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  id: string,
  halt: { reason: string; actor: AuditActor },
): Promise<HaltChange | null> {
  await lockHalt(tx, id);
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'UPDATE environments SET halted_at = now(), halted_reason = :reason, halted_by = :by WHERE id = :id AND halted_at IS NULL',
    { id, reason: halt.reason, by: JSON.stringify({ type: halt.actor.type, id: halt.actor.id }) },
  );
  return changeOf(tx, id, rowCount);
}

/** Ends the halt of an environment; one that runs stays as it is. Null where the workspace has none of that id. */
export async function resumeEnvironment(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  id: string,
): Promise<HaltChange | null> {
  await lockHalt(tx, id);
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'UPDATE environments SET halted_at = NULL, halted_reason = NULL, halted_by = NULL WHERE id = ? AND halted_at IS NOT NULL',
    [id],
  );
  return changeOf(tx, id, rowCount);
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
