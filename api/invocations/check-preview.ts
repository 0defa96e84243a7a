import type { ActionRecord } from '../../db/actions/records.ts';
import type { PreviewRecord } from '../../db/previews/records.ts';
import { adapterDescriptor } from '../../domain/adapters/index.ts';
import { requestDigestOf } from '../../domain/previews/binding.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { differingRelation, type Relations } from '../../domain/relations.ts';

export interface PreviewedRequest extends Relations {
  input: JsonObject;
  /** Operation key of the invocation. Null for its own id. */
  operationKey: string | null;
  runId: string | null;
  agentId: string | null;
}

/**
 * Checks that an invocation matches its preview, as far as the caller can correct it. Secrets, policies and the provider's record are
 * checked right before the dispatch.
 *
 * @throws {ServiceError} PREVIEW_ALREADY_USED, PREVIEW_EXPIRED, PREVIEW_MISMATCH.
 */
export function checkPreview(preview: PreviewRecord, action: ActionRecord, request: PreviewedRequest): void {
  if (preview.used || preview.madeBy === 'service') {
    throw new ServiceError('PREVIEW_ALREADY_USED', {
      message: `Invocation ${preview.invocationId} uses preview ${preview.id}. Read it, or make a new preview.`,
      details: { invocationId: preview.invocationId },
    });
  }
  if (preview.supersededBy !== null) {
    throw new ServiceError('PREVIEW_EXPIRED', {
      message: `Preview ${preview.supersededBy} supersedes ${preview.id}. Use that one.`,
      details: { supersededBy: preview.supersededBy },
    });
  }
  if (preview.expiresAt <= new Date()) {
    throw new ServiceError('PREVIEW_EXPIRED', {
      message: `Preview ${preview.id} expired at ${preview.expiresAt.toISOString()}. Refresh it, and use the new one.`,
    });
  }
  const differing = differingPart(preview, action, request);
  if (differing === null) return;
  throw new ServiceError('PREVIEW_MISMATCH', {
    message: `The request differs from preview ${preview.id}: ${differing}`,
    details: { previewId: preview.id },
  });
}

function differingPart(preview: PreviewRecord, action: ActionRecord, request: PreviewedRequest): string | null {
  if (preview.actionId !== action.id) return `it is of action ${preview.actionName}.`;
  if (canonicalJson(preview.input) !== canonicalJson(request.input)) return 'another input.';
  if (preview.runId !== request.runId) return 'another runId.';
  if (preview.agentId !== request.agentId) return 'another agentId.';
  const relation = differingRelation(preview.relations, request);
  if (relation !== null) return `another ${relation}.`;
  if (preview.operationKey !== null && preview.operationKey !== request.operationKey) return 'another operationKey.';
  if (preview.versionId !== action.currentVersion.id) return 'the action has a newer version. Refresh the preview.';
  return sendsTheSame(preview, action, request)
    ? null
    : 'the action puts the operationKey into its request, and the preview was made without it. Name it in the preview.';
}

/** The operation key may be part of the request; one that the preview did not name comes from the Idempotency-Key. */
function sendsTheSame(preview: PreviewRecord, action: ActionRecord, request: PreviewedRequest): boolean {
  const { invocationId, reservedEffectId } = preview;
  const { definition } = action;
  const prepared = adapterDescriptor(definition.adapter.type, definition.adapter.version).prepare({
    definition,
    input: request.input,
    identity: {
      invocationId,
      effectId: reservedEffectId ?? invocationId,
      operationKey: request.operationKey ?? invocationId,
    },
  });
  return prepared.kind === 'ready' && requestDigestOf(prepared) === preview.requestDigest;
}
