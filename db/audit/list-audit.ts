import type { JsonObject } from '../../domain/json.ts';
import type { WorkspaceTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import type { AuditActor } from './record-audit.ts';

export interface AuditEntry {
  id: string;
  /** The entry's number in its workspace, from 1. */
  sequence: number;
  actor: AuditActor;
  action: string;
  target: { type: string; id: string };
  environmentId: string | null;
  details: JsonObject;
  requestId: string | null;
  recordedAt: Date;
  previousHash: string | null;
  hash: string;
}

export interface AuditFilter {
  /** Id of the actor. */
  actor?: string | undefined;
  action?: string | undefined;
  /** Id of the target. */
  target?: string | undefined;
  environmentId?: string | undefined;
  /** Inclusive. */
  startDate?: Date | undefined;
  /** Exclusive. */
  endDate?: Date | undefined;
  limit: number;
  offset: number;
}

interface Row extends Omit<AuditEntry, 'sequence' | 'actor' | 'target'> {
  sequence: string;
  actorType: AuditActor['type'];
  actorId: string | null;
  targetType: string;
  targetId: string;
}

const COLUMNS = {
  id: 'id',
  sequence: 'sequence',
  actorType: 'actor_type',
  actorId: 'actor_id',
  action: 'action',
  targetType: 'target_type',
  targetId: 'target_id',
  environmentId: 'environment_id',
  details: 'details',
  requestId: 'request_id',
  recordedAt: 'recorded_at',
  previousHash: 'previous_hash',
  hash: 'hash',
} as const;

/** One page of the workspace's audit log, newest first, with the total count. */
export async function listAudit(
  tx: WorkspaceTransaction,
  filter: AuditFilter,
): Promise<{ items: AuditEntry[]; total: number }> {
  const where = `WHERE (CAST(:actor AS text) IS NULL OR actor_id = :actor) AND (CAST(:action AS text) IS NULL OR action = :action)
    AND (CAST(:target AS text) IS NULL OR target_id = :target)
    AND (CAST(:environmentId AS uuid) IS NULL OR environment_id = :environmentId)
    AND (CAST(:startDate AS timestamptz) IS NULL OR recorded_at >= :startDate)
    AND (CAST(:endDate AS timestamptz) IS NULL OR recorded_at < :endDate)`;
  const bindings = {
    actor: filter.actor ?? null,
    action: filter.action ?? null,
    target: filter.target ?? null,
    environmentId: filter.environmentId ?? null,
    startDate: filter.startDate ?? null,
    endDate: filter.endDate ?? null,
  };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM audit_log ${where}`,
    bindings,
  );
  const page = await tx.raw<{ rows: Row[] }>(
    `SELECT ${selected(COLUMNS)} FROM audit_log ${where} ORDER BY sequence DESC LIMIT :limit OFFSET :offset`,
    { ...bindings, limit: filter.limit, offset: filter.offset },
  );
  return { items: page.rows.map(toEntry), total: counted.rows[0]?.total ?? 0 };
}

function toEntry({ sequence, actorType, actorId, targetType, targetId, ...row }: Row): AuditEntry {
  return {
    ...row,
    sequence: Number(sequence),
    actor: { type: actorType, id: actorId },
    target: { type: targetType, id: targetId },
  };
}
