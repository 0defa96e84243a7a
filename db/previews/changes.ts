import { ServiceError } from '../../domain/errors.ts';
import { LIVE_PREVIEWS_MAX } from '../../domain/previews/limits.ts';
import type { AssembledPreview } from '../../domain/previews/assemble-preview.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Relations } from '../../domain/relations.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { Allowance } from '../impact-limits/allowances.ts';
import type { ActorRecord } from '../invocations/records.ts';
import { getPreview } from './queries.ts';
import type { PreviewMaker, PreviewRecord } from './records.ts';

/**
 * Throws QUOTA_EXCEEDED where the environment has its maximum of unused previews. Other counters wait until this transaction
 * ends, so call it right before the preview is inserted. A withdrawn admission frees its preview whatever the count is.
 */
export async function requirePreviewRoom(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw(
    'require_preview_room',
    "SELECT pg_advisory_xact_lock(hashtextextended('previews/' || current_environment_id(), 0))",
  );
  const row = await tx.row<{ live: number }>(
    'require_preview_room_2',
    `SELECT count(*)::int AS live FROM (SELECT FROM unused_previews
       WHERE environment_id = current_environment_id() AND expires_at > now() LIMIT ${LIVE_PREVIEWS_MAX}) counted`,
  );
  if ((row?.live ?? 0) < LIVE_PREVIEWS_MAX) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `An environment has at most ${LIVE_PREVIEWS_MAX} previews that have not expired and that no invocation uses. Use them, or wait until they expire; a shorter expiresIn keeps fewer.`,
  });
}

/**
 * Reads a preview for a caller that uses or supersedes it, and excludes others that do until the transaction ends. The lock is
 * advisory: the row is immutable, so the application has no right to lock it.
 */
export async function lockPreview(tx: EnvironmentTransaction, previewId: string): Promise<PreviewRecord | null> {
  // Two statements, sent together: the second has its own snapshot, which contains what was committed while the first one waited.
  const [, preview] = await tx.inOrder(
    () => tx.raw('lock_preview', 'SELECT pg_advisory_xact_lock(preview_lock_of(?))', [previewId]),
    () => getPreview(tx, previewId),
  );
  return preview;
}

export interface NewPreview {
  id: string;
  /** Reserved for the invocation and the effect that will execute the preview. */
  invocationId: string;
  effectId: string | null;
  operationKey: string | null;
  input: JsonObject;
  runId: string | null;
  agentId: string | null;
  relations: Relations;
  assembled: AssembledPreview;
  allowances: readonly Allowance[];
  evidenceObservedAt: Date;
  expiresAt: Date;
  supersedes: string | null;
  madeBy: PreviewMaker;
  createdBy: ActorRecord;
}

export async function insertPreview(tx: EnvironmentTransaction, preview: NewPreview): Promise<void> {
  const { binding, requestDigest, bindingDigest, capabilities, blocks } = preview.assembled;
  const json = (value: unknown): string => JSON.stringify(value);
  await tx.raw(
    'insert_preview',
    `INSERT INTO previews (id, environment_id, action_id, version_id, adapter_type, adapter_version, invocation_id, effect_id,
       operation_key, input, run_id, agent_id, retry_of, depends_on, compensates, capabilities, target, request, request_digest, impact, blocks, preconditions,
       allowances, binding_digest, evidence_observed_at, expires_at, supersedes, made_by, created_by)
     VALUES (:id, current_environment_id(), :actionId, :versionId, :adapterType, :adapterVersion, :invocationId, :effectId,
       :operationKey, :input, :runId, :agentId, :retryOf, :dependsOn, :compensates, :capabilities, :target, :request, :requestDigest, :impact, :blocks,
       :preconditions, :allowances, :bindingDigest, :evidenceObservedAt, :expiresAt, :supersedes, :madeBy, :createdBy)`,
    {
      id: preview.id,
      actionId: binding.versions.actionId,
      versionId: binding.versions.actionVersionId,
      adapterType: binding.versions.adapterType,
      adapterVersion: binding.versions.adapterVersion,
      invocationId: preview.invocationId,
      effectId: preview.effectId,
      operationKey: preview.operationKey,
      input: json(preview.input),
      runId: preview.runId,
      agentId: preview.agentId,
      retryOf: preview.relations.retryOf,
      dependsOn: json(preview.relations.dependsOn),
      compensates: preview.relations.compensates,
      capabilities: json(capabilities),
      target: json(binding.target),
      request: json(binding.request),
      requestDigest,
      impact: json(binding.scope.impact),
      blocks: json(blocks),
      preconditions: json(binding.preconditions),
      allowances: json(preview.allowances),
      bindingDigest,
      evidenceObservedAt: preview.evidenceObservedAt,
      expiresAt: preview.expiresAt,
      supersedes: preview.supersedes,
      madeBy: preview.madeBy,
      createdBy: json(preview.createdBy),
    },
  );
}

/** Binds a parked invocation to the preview that the service made of it. The database allows it once. */
export async function bindInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
  previewId: string,
): Promise<void> {
  await tx.raw(
    'bind_invocation',
    'UPDATE invocations SET preview_id = :previewId, updated_at = now() WHERE id = :invocationId',
    {
      invocationId,
      previewId,
    },
  );
}
