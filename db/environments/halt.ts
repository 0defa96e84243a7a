import { ServiceError } from '../../domain/errors.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { meaning } from '../refused.ts';
import { type EnvironmentRecord, getEnvironment } from './environments.ts';

export interface Halt {
  haltedAt: Date;
  reason: string;
}

/**
 * The halt of the transaction's environment, or null while it runs. It sees every committed halt, and a later halt waits until
 * this transaction ends, so a decision based on the answer holds. Call it in the transaction that acts on the answer, after your
 * own row locks and before `recordAudit`.
 */
export async function readHalt(tx: EnvironmentTransaction): Promise<Halt | null> {
  const row = await tx.row<{ halted_at: Date | null; halted_reason: string | null }>(
    'read_halt',
    'SELECT halted_at, halted_reason FROM read_halt()',
    [],
  );
  if (row === null) throw new Error('the transaction names an environment that is not there');
  return row.halted_at === null ? null : { haltedAt: row.halted_at, reason: row.halted_reason ?? '' };
}

export async function isHalted(tx: EnvironmentTransaction): Promise<boolean> {
  return (await readHalt(tx)) !== null;
}

/** Refuses (`refuse`) where the environment is halted. The same lock as `readHalt`, for a statement that goes with the commit. */
export async function refuseIfHalted(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw('refuse_if_halted', `SELECT refuse('{}') FROM read_halt() h WHERE h.halted_at IS NOT NULL`, []);
}

/** @throws {ServiceError} SERVICE_UNAVAILABLE to a publisher whose messages or events are not kept while the environment is halted. */
export async function refuseWhileHalted(tx: EnvironmentTransaction): Promise<void> {
  const look = tx.raw(
    'refuse_while_halted',
    `SELECT CASE WHEN h.halted_at IS NOT NULL THEN refuse(jsonb_build_object('haltedAt', h.halted_at, 'reason', h.halted_reason)) END
     FROM read_halt() h`,
    [],
  );
  await look.catch(
    meaning<{ haltedAt: string; reason: string | null }>(
      ({ haltedAt, reason }) =>
        new ServiceError('SERVICE_UNAVAILABLE', {
          message:
            `The environment is halted since ${new Date(haltedAt).toISOString()}: ${reason ?? ''}. Publish again when it is resumed, or with ` +
            'a key that holds messages:ingest; its messages are kept and delivered then.',
        }),
    ),
  );
}

export interface HaltChange {
  environment: EnvironmentRecord;
  /** False where the environment was in that state already. */
  changed: boolean;
}

/**
 * Halts an environment. Once this has committed, none of its dispatches is marked or claimed. It waits for transactions that are
 * marking one. An environment that is halted already keeps its first timestamp and reason. Null where the workspace has no such
 * environment.
 */
export async function haltEnvironment(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  id: string,
  halt: { reason: string; actor: { type: string; id: string | null } },
): Promise<HaltChange | null> {
  await lockHalt(tx, id);
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'halt_environment',
    'UPDATE environments SET halted_at = now(), halted_reason = :reason, halted_by = :by WHERE id = :id AND halted_at IS NULL',
    { id, reason: halt.reason, by: JSON.stringify({ type: halt.actor.type, id: halt.actor.id }) },
  );
  return changeOf(tx, id, rowCount);
}

/**
 * Resumes a halted environment, and keeps when it was halted; one that runs is left as it is. Null where the workspace has no such
 * environment.
 */
export async function resumeEnvironment(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  id: string,
): Promise<HaltChange | null> {
  await lockHalt(tx, id);
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    // Until this moment and not that of `now()`: the lock may have been waited for.
    'resume_environment',
    `UPDATE environments SET halted_at = NULL, halted_reason = NULL, halted_by = NULL,
       halts = with_newest_range(halts, tstzrange(halted_at, GREATEST(halted_at, clock_timestamp()), '[]'))
     WHERE id = ? AND halted_at IS NOT NULL`,
    [id],
  );
  return changeOf(tx, id, rowCount);
}

/** The counterpart of `readHalt`. PostgreSQL queues these locks, so a halt gets its turn however busy the environment is. */
async function lockHalt(tx: EnvironmentTransaction | WorkspaceTransaction, id: string): Promise<void> {
  await tx.raw('lock_halt', 'SELECT pg_advisory_xact_lock(halt_lock_of(?::uuid))', [id]);
}

async function changeOf(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  id: string,
  rows: number,
): Promise<HaltChange | null> {
  const environment = await getEnvironment(tx, id);
  return environment && { environment, changed: rows > 0 };
}
