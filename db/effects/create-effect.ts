import type { EnvironmentTransaction } from '../client.ts';
import { decisionOf, type PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import type { NewEffect } from './records.ts';

/** Creates the effect of an evaluated invocation, `ready` or `awaiting_approval`, and links the invocation to it. `verdict`: of its policies. */
export async function createEffect(
  tx: EnvironmentTransaction,
  effect: NewEffect,
  verdict: PolicyVerdict | null = null,
): Promise<void> {
  await tx.raw(
    `WITH effect AS (
       INSERT INTO effects (id, environment_id, invocation_id, operation_key, action_name, version_id, adapter_type,
         adapter_version, capabilities, target, request, request_digest, impact, stage, preview_id, binding_digest,
         approval_id, compensates)
       VALUES (:id, current_environment_id(), :invocationId, :operationKey, :actionName, :versionId, :adapterType,
         :adapterVersion, :capabilities, :target, :request, :requestDigest, :impact, :stage, :previewId, :bindingDigest,
         :approvalId, (SELECT compensates FROM invocations WHERE id = :invocationId)))
     UPDATE invocations SET effect_id = :id, decision = CAST(:decision AS jsonb), evaluated_at = now(), updated_at = now() WHERE id = :invocationId`,
    {
      ...effect,
      capabilities: JSON.stringify(effect.capabilities),
      target: JSON.stringify(effect.target),
      request: JSON.stringify(effect.request),
      impact: JSON.stringify(effect.impact),
      decision: verdict === null ? null : decisionOf(verdict),
    },
  );
}
