import { type Page, pageOf, type Range } from '../page.ts';
import type { StoredAuthentication } from '../../domain/passkeys/authentication.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { WorkspaceTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import type { AuditActor } from './record-audit.ts';

export interface AuditEntry {
  id: string;
  /** The entry's number in its workspace, from 1. */
  sequence: number;
  actor: AuditActor;
  authentication: StoredAuthentication | null;
  action: string;
  target: { type: string; id: string };
  environmentId: string | null;
  details: JsonObject;
  requestId: string | null;
  recordedAt: Date;
  previousHash: string | null;
  hash: string;
}

export interface AuditFilter extends Range {
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
  authentication: 'authentication',
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
export async function listAudit(tx: WorkspaceTransaction, filter: AuditFilter): Promise<Page<AuditEntry>> {
  const { items, total } = await pageOf<Row>(tx, {
    name: 'list_audit',
    columns: selected(COLUMNS),
    from: 'audit_log',
    filters: {
      actor: 'actor_id = :actor',
      action: 'action = :action',
      target: 'target_id = :target',
      environmentId: 'environment_id = :environmentId',
      startDate: 'recorded_at >= :startDate',
      endDate: 'recorded_at < :endDate',
    },
    order: 'sequence DESC',
    asked: filter,
  });
  return { items: items.map(toEntry), total };
}

function toEntry({ sequence, actorType, actorId, targetType, targetId, ...row }: Row): AuditEntry {
  return {
    ...row,
    sequence: Number(sequence),
    actor: { type: actorType, id: actorId },
    target: { type: targetType, id: targetId },
  };
}
