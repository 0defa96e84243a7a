import type { AssembledPreview } from '../../domain/previews/assemble-preview.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Relations } from '../../domain/relations.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { Allowance } from '../impact-limits/list-allowances.ts';
import type { ActorRecord } from '../invocations/records.ts';
import type { PreviewMaker } from './records.ts';

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
