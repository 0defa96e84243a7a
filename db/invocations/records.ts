import type { ActionDefinition, ImpactQuantity } from '../../domain/actions.ts';
import type { ProviderResponse } from '../../domain/adapters/adapter-descriptor.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Grade, InvocationStatus, OutcomeSource, Stage } from '../../domain/lifecycle.ts';
import { type Shortened, shortenedColumn } from '../shortened.ts';

export interface ActorRecord {
  type: string;
  id: string | null;
}

/** An invocation with the name of its action, as the API answers it. */
export interface InvocationRecord {
  id: string;
  status: InvocationStatus;
  grade: Grade;
  outcomeSource: OutcomeSource | null;
  actionId: string;
  actionName: string;
  versionId: string;
  effectId: string | null;
  approvalId: string | null;
  /** Of the effect, where one governs. */
  effectStage: Stage | null;
  operationKey: string;
  requestDigest: string;
  /** The response that was seen, as `attempts.response` keeps it. */
  result: ProviderResponse | null;
  error: string | null;
  resolution: JsonObject | null;
  requestedBy: ActorRecord;
  retryOf: string | null;
  runId: string | null;
  agentId: string | null;
  createdAt: Date;
  settledAt: Date | null;
  /** Since it waits for the effects that it depends on. */
  dependenciesAwaitedAt: Date | null;
}

/** As a list shows it. */
export type ListedInvocationRecord = Omit<InvocationRecord, 'result'> & { result: ProviderResponse | Shortened | null };

/**
 * An effect is joined by the invocation's id wherever that is known: with `e.id = i.effect_id` the planner, as long as it has
 * no statistics, reads every effect of the environment instead (row-level security offers it that index).
 */
export const INVOCATION_TABLES = `
  invocations i JOIN actions a ON a.id = i.action_id LEFT JOIN effects e ON e.invocation_id = i.id`;

const columnsWith = (result: string): string => `
  i.id, i.status, COALESCE(e.grade, i.grade) AS grade, i.outcome_source AS "outcomeSource", i.action_id AS "actionId", a.name AS "actionName",
  i.version_id AS "versionId", i.effect_id AS "effectId", i.approval_id AS "approvalId", e.stage AS "effectStage", i.operation_key AS "operationKey",
  i.request_digest AS "requestDigest", ${result}, i.error, i.resolution, i.requested_by - 'memberId' AS "requestedBy",
  i.retry_of AS "retryOf", i.run_id AS "runId", i.agent_id AS "agentId", i.created_at AS "createdAt", i.settled_at AS "settledAt",
  i.dependencies_awaited_at AS "dependenciesAwaitedAt"`;

/** The columns of InvocationRecord, for `FROM invocations i JOIN actions a … LEFT JOIN effects e …`. */
export const INVOCATION_COLUMNS = columnsWith('i.result');
/** The columns of ListedInvocationRecord. */
export const LISTED_INVOCATION_COLUMNS = columnsWith(`${shortenedColumn('i.result')} AS result`);

/** What the workflow's activities need of an invocation: what was asked, and under which definition. */
export interface InvocationWork {
  id: string;
  status: InvocationStatus;
  grade: Grade;
  effectId: string | null;
  operationKey: string;
  input: JsonObject;
  requestedBy: ActorRecord;
  /** The member on whom the request rests: the user, or the maker of the key where that was a member then. */
  requestingMember: string | null;
  /** Of the key that asked; null where a user did. */
  requestedByName: string | null;
  runId: string | null;
  agentId: string | null;
  actionId: string;
  actionName: string;
  actionArchived: boolean;
  currentVersionId: string;
  versionId: string;
  definition: ActionDefinition;
  /** Of the effect, where one governs. */
  requestDigest: string | null;
  bindingDigest: string | null;
  impact: ImpactQuantity[] | null;
  target: JsonObject | null;
  /** The effect that this invocation makes up for. */
  compensates: string | null;
  /** Whether it waits for other effects before it is sent. */
  hasDependencies: boolean;
  /** Why its environment is halted; null while it runs. As it was when this was read: a dispatch is decided by `readHalt`. */
  haltedReason: string | null;
  workspaceId: string;
  environment: {
    id: string;
    name: string;
    kind: 'development' | 'staging' | 'production';
    /** Null: by the kind. */
    approvalDefault: 'allow' | 'require_approval' | null;
  };
  /** How often the environment's policies have changed. A stamp is never used again; null: there was never one. */
  policies: { revision: number; stamp: string | null };
  /** What the invocation is held to: the preview that its caller named, or the one that was made when it was parked. */
  preview: BoundPreview | null;
  approvalId: string | null;
}

export interface BoundPreview {
  id: string;
  madeBy: 'caller' | 'service';
  /** The effect's id that the preview reserves; null for a plain action. */
  effectId: string | null;
  bindingDigest: string;
  expiresAt: Date;
}
