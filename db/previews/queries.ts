import type { ImpactQuantity } from '../../domain/actions.ts';
import type { PreparedRequest } from '../../domain/adapters/adapter-descriptor.ts';
import type { Preconditions } from '../../domain/previews/binding.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Relations } from '../../domain/relations.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type ActorRecord, REQUESTED_BY } from '../invocations/records.ts';
import {
  LISTED_PREVIEW_COLUMNS,
  type ListedPreviewRecord,
  PREVIEW_COLUMNS,
  PREVIEW_TABLES,
  type PreviewMaker,
  type PreviewRecord,
} from './records.ts';
import { RecordGone } from '../../domain/record-gone.ts';

export async function getPreview(tx: EnvironmentTransaction, previewId: string): Promise<PreviewRecord | null> {
  return tx.row<PreviewRecord>('get_preview', `SELECT ${PREVIEW_COLUMNS} FROM ${PREVIEW_TABLES} WHERE p.id = ?`, [
    previewId,
  ]);
}

/** Several previews by their ids, in no particular order. */
export async function listPreviewsById(
  tx: EnvironmentTransaction,
  previewIds: readonly string[],
): Promise<PreviewRecord[]> {
  return tx.rows<PreviewRecord>(
    'list_previews_by_id',
    `SELECT ${PREVIEW_COLUMNS} FROM ${PREVIEW_TABLES} WHERE p.id = ANY(?)`,
    [[...previewIds]],
  );
}

/** The same for lists, with large members shortened. */
export async function listShortenedPreviewsById(
  tx: EnvironmentTransaction,
  previewIds: readonly string[],
): Promise<ListedPreviewRecord[]> {
  return tx.rows<ListedPreviewRecord>(
    'list_shortened_previews_by_id',
    `SELECT ${LISTED_PREVIEW_COLUMNS} FROM ${PREVIEW_TABLES} WHERE p.id = ANY(?)`,
    [[...previewIds]],
  );
}

/** What an invocation is bound to on record, and the facts that the binding is made of again. */
export interface BindingRecord {
  workspaceId: string;
  environmentId: string;
  actionId: string;
  requestedBy: ActorRecord;
  runId: string | null;
  agentId: string | null;
  relations: Relations;
  policyRevision: number;
  /** Null when it is bound to nothing. */
  preview: StoredPreview | null;
  /** Null where it has no effect; `approvalDigest` is null where it has no approval. */
  effect: {
    bindingDigest: string | null;
    request: PreparedRequest;
    target: JsonObject;
    impact: ImpactQuantity[];
  } | null;
  approvalDigest: string | null;
}

/** The bound part of the stored preview. */
export interface StoredPreview {
  id: string;
  madeBy: PreviewMaker;
  actionId: string;
  versionId: string;
  adapterType: string;
  adapterVersion: string;
  request: PreparedRequest;
  target: JsonObject;
  impact: ImpactQuantity[];
  preconditions: Preconditions;
  requestDigest: string;
  bindingDigest: string;
  expiresAt: Date;
}

type Row = Omit<BindingRecord, 'preview'> & {
  preview: (Omit<StoredPreview, 'expiresAt'> & { expiresAt: string }) | null;
};

/** Throws where there is no such invocation: the caller has locked it. */
export async function readBinding(tx: EnvironmentTransaction, invocationId: string): Promise<BindingRecord> {
  const row = await tx.row<Row>(
    'read_binding',
    `SELECT current_workspace_id() AS "workspaceId", i.environment_id AS "environmentId", i.action_id AS "actionId",
       ${REQUESTED_BY}, i.run_id AS "runId", i.agent_id AS "agentId",
       jsonb_build_object('retryOf', i.retry_of, 'compensates', i.compensates, 'dependsOn', COALESCE((SELECT jsonb_agg(d.depends_on ORDER BY
         d.position) FROM effect_dependencies d WHERE d.invocation_id = i.id), '[]')) AS relations,
       CAST(COALESCE((SELECT revision FROM policy_revisions WHERE environment_id = i.environment_id), 0) AS float8) AS "policyRevision",
       CASE WHEN p.id IS NULL THEN NULL ELSE jsonb_build_object('id', p.id, 'madeBy', p.made_by, 'actionId', p.action_id,
         'versionId', p.version_id, 'adapterType', p.adapter_type, 'adapterVersion', p.adapter_version, 'request', p.request,
         'target', p.target, 'impact', p.impact, 'preconditions', p.preconditions, 'requestDigest', p.request_digest,
         'bindingDigest', p.binding_digest, 'expiresAt', p.expires_at) END AS preview,
       CASE WHEN e.id IS NULL THEN NULL ELSE jsonb_build_object('bindingDigest', e.binding_digest, 'request', e.request,
         'target', e.target, 'impact', e.impact) END AS effect,
       (SELECT a.binding_digest FROM approvals a WHERE a.invocation_id = i.id) AS "approvalDigest"
     FROM invocations i LEFT JOIN previews p ON p.id = i.preview_id LEFT JOIN effects e ON e.invocation_id = i.id
     WHERE i.id = ?`,
    [invocationId],
  );
  if (row === null) throw new RecordGone(`invocation ${invocationId} is gone`);
  return { ...row, preview: row.preview && { ...row.preview, expiresAt: new Date(row.preview.expiresAt) } };
}

/** An observation on record. `recordedAt` is the clock of the database, as the times of decisions are. */
export type RecordedObservation = Observation & { recordedAt: Date };

/** The latest observation for an invocation; null where there is none. */
export async function readLatestObservation(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<RecordedObservation | null> {
  return tx.row<RecordedObservation>(
    'read_latest_observation',
    `SELECT observed_at AS "observedAt", preconditions, blocks, refusal, summary, recorded_at AS "recordedAt"
     FROM observations WHERE invocation_id = ? ORDER BY sequence DESC LIMIT 1`,
    [invocationId],
  );
}
