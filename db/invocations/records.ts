import type { ActionDefinition, ImpactQuantity } from '../../domain/actions.ts';
import type { ProviderResponse } from '../../domain/adapters/adapter-descriptor.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Grade, InvocationStatus, OutcomeSource, Stage } from '../../domain/lifecycle.ts';
import type { RefusalDetails } from '../../domain/refusal-facts.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import { type Shortened, shortenedColumn } from '../columns.ts';

export interface ActorRecord {
  type: string;
  id: string | null;
  /** The app through which a user asked. */
  clientId?: string;
}

/** An invocation with the name of its action, as the API shows it. */
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
  /** Until when people can decide; null unless it waits for them. */
  expiresAt: Date | null;
  /** The effect's grade, where there is one. */
  effectStage: Stage | null;
  /** When the provider is read next for it. */
  nextReadAt: Date | null;
  operationKey: string;
  requestDigest: string;
  /** The response, as stored in `attempts.response`. */
  result: ProviderResponse | null;
  error: string | null;
  /** Set under every status that a refusal goes with; the database holds them to that. */
  refusalCode: RefusalCode | null;
  refusalDetails: RefusalDetails | null;
  /** The preview that its caller named; read with a refusal only. */
  namedPreviewId: string | null;
  resolution: JsonObject | null;
  requestedBy: ActorRecord;
  retryOf: string | null;
  runId: string | null;
  agentId: string | null;
  /** The id of the request that was admitted, as its reply and the log carry it. */
  requestId: string | null;
  createdAt: Date;
  settledAt: Date | null;
  /** Set while it waits for the effects that it depends on. */
  dependenciesAwaitedAt: Date | null;
}

/** For lists: a large result is shortened. */
export type ListedInvocationRecord = Omit<InvocationRecord, 'result'> & { result: ProviderResponse | Shortened | null };

/**
 * Join an effect by the invocation's id wherever that is known. With `e.id = i.effect_id` and no statistics, the planner reads
 * every effect of the environment instead, because row-level security offers it that index.
 */
/** To `invocations i`. */
export const INVOCATION_JOINS = `
  JOIN actions a ON a.id = i.action_id LEFT JOIN effects e ON e.invocation_id = i.id`;

/** The requester of `invocations i`, without what the row keeps for the check right before the dispatch. */
export const REQUESTED_BY = `i.requested_by - ARRAY['memberId', 'connectedAppId'] AS "requestedBy"`;

const columnsWith = (result: string): string => `
  i.id, i.status, COALESCE(e.grade, i.grade) AS grade, i.outcome_source AS "outcomeSource", i.action_id AS "actionId", a.name AS "actionName",
  i.version_id AS "versionId", i.effect_id AS "effectId", i.approval_id AS "approvalId",
  CASE WHEN i.status = 'pending_approval' THEN (SELECT p.expires_at FROM approvals p WHERE p.id = i.approval_id) END AS "expiresAt", e.stage AS "effectStage",
  CASE WHEN e.stage = 'reconciling' THEN e.reconcile_next_at END AS "nextReadAt", i.operation_key AS "operationKey",
  i.request_digest AS "requestDigest", ${result}, i.error, i.refusal_code AS "refusalCode",
  i.refusal_details AS "refusalDetails",
  CASE WHEN i.refusal_code IS NOT NULL THEN (SELECT v.id FROM previews v WHERE v.id = i.preview_id AND v.made_by = 'caller') END AS "namedPreviewId", i.resolution, ${REQUESTED_BY},
  i.retry_of AS "retryOf", i.run_id AS "runId", i.agent_id AS "agentId", i.request_id AS "requestId", i.created_at AS "createdAt", i.settled_at AS "settledAt",
  i.dependencies_awaited_at AS "dependenciesAwaitedAt"`;

/** The columns of InvocationRecord, for `FROM invocations i JOIN actions a … LEFT JOIN effects e …`. */
export const INVOCATION_COLUMNS = columnsWith('i.result');
/** The columns of ListedInvocationRecord. */
export const LISTED_INVOCATION_COLUMNS = columnsWith(`${shortenedColumn('i.result')} AS result`);

/** The part of an invocation that the workflow's activities need: the request and its definition. */
export interface InvocationWork {
  id: string;
  status: InvocationStatus;
  /** It is queued, and the database may have lost that it was sent (docs/ha.md). */
  isRecovered: boolean;
  grade: Grade;
  /** Set under every status that a refusal goes with. */
  refusalCode: RefusalCode | null;
  effectId: string | null;
  operationKey: string;
  input: JsonObject;
  requestedBy: ActorRecord;
  /** The member behind the request: the user, or the maker of the key where that was a member then. */
  requestingMember: string | null;
  /** The name of the requesting key; null where a user asked. */
  requestedByName: string | null;
  runId: string | null;
  agentId: string | null;
  actionId: string;
  actionName: string;
  actionArchived: boolean;
  currentVersionId: string;
  versionId: string;
  definition: ActionDefinition;
  /** The effect's stage, where there is one. */
  requestDigest: string | null;
  bindingDigest: string | null;
  impact: ImpactQuantity[] | null;
  target: JsonObject | null;
  /** The effect that this invocation compensates. */
  compensates: string | null;
  /** Whether it waits for other effects before it is sent. */
  hasDependencies: boolean;
  /** Why its environment is halted; null while it runs. This is a snapshot: `readHalt` decides whether a dispatch may go. */
  haltedReason: string | null;
  workspaceId: string;
  environment: {
    id: string;
    name: string;
    kind: 'development' | 'staging' | 'production';
    /** Null selects the default of the environment's kind. */
    approvalDefault: 'allow' | 'require_approval' | null;
  };
  /** The number of changes of the environment's policies. A stamp is never reused; null before the first change. */
  policies: { revision: number; stamp: string | null };
  /** The preview that binds the invocation: the one that its caller named, or the one that was made when it was parked. */
  preview: BoundPreview | null;
  approvalId: string | null;
}

export interface BoundPreview {
  id: string;
  madeBy: 'caller' | 'service';
  /** The effect id that the preview reserved; null for a plain action. */
  effectId: string | null;
  bindingDigest: string;
  expiresAt: Date;
}
