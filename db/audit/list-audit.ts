import type { JsonObject } from '../../domain/json.ts';
import type { WorkspaceTransaction } from '../client.ts';
import type { AuditActor } from './record-audit.ts';

export interface AuditEntry {
  id: string;
  /** Counts the workspace's entries from 1. */
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
  /** From this moment on. */
  startDate?: Date | undefined;
  /** Until before this moment. */
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

/** One page of the workspace's audit log, newest first, and how many entries match in all. */
export async function listAudit(
  tx: WorkspaceTransaction,
  filter: AuditFilter,
): Promise<{ items: AuditEntry[]; total: number }> {
  const matching = tx('audit_log');
  if (filter.actor !== undefined) void matching.where('actor_id', filter.actor);
  if (filter.action !== undefined) void matching.where('action', filter.action);
  if (filter.target !== undefined) void matching.where('target_id', filter.target);
  if (filter.environmentId !== undefined) void matching.where('environment_id', filter.environmentId);
  if (filter.startDate !== undefined) void matching.where('recorded_at', '>=', filter.startDate);
  if (filter.endDate !== undefined) void matching.where('recorded_at', '<', filter.endDate);
  const counted = await matching.clone().count<{ count: string }[]>();
  const rows = await matching
    .clone()
    .select<Row[]>(COLUMNS)
    .orderBy('sequence', 'desc')
    .limit(filter.limit)
    .offset(filter.offset);
  return { items: rows.map(toEntry), total: Number(counted[0]?.count ?? 0) };
}

function toEntry({ sequence, actorType, actorId, targetType, targetId, ...row }: Row): AuditEntry {
  return {
    ...row,
    sequence: Number(sequence),
    actor: { type: actorType, id: actorId },
    target: { type: targetType, id: targetId },
  };
}
