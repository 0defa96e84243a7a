import type { EnvironmentTransaction } from '../../db/client.ts';
import { insertDraft, takeDraft } from '../../db/previews/drafts.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import {
  OBSERVE_PREVIEW_TIMEOUT_MS,
  type ObservePreviewInput,
  type ObservePreviewResult,
  observePreviewStart,
} from '../../temporal/previews/observe-preview.ts';
import { TEMPORAL_CALL_TIMEOUT_MS } from '../../temporal/time-outs.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Caller } from '../http/define-route.ts';
import type { Previewable } from './compose-preview.ts';
import type { PreviewRequest } from './preview-request.ts';

export async function draftPreview(
  tx: EnvironmentTransaction,
  { action }: Previewable,
  request: PreviewRequest,
): Promise<void> {
  const { id, invocationId, effectId, input } = request;
  const operationKey = request.operationKey ?? invocationId;
  await insertDraft(tx, { id, versionId: action.currentVersion.id, invocationId, effectId, operationKey, input });
}

/**
 * Has a worker read the provider for a draft and returns what was read. The API opens no credential and calls nobody. Without the evidence
 * there is no preview: it would promise more than is known. The draft is deleted in every case, except when this process dies.
 *
 * @throws {ServiceError} SERVICE_UNAVAILABLE.
 */
export async function readProvider(
  deps: ApiDependencies,
  caller: Caller,
  { id: previewId }: PreviewRequest,
  actionName: string,
): Promise<Observation> {
  const { workspaceId, environmentId } = caller.tenant;
  let outcome: ObservePreviewResult['outcome'] | 'unasked' = 'unasked';
  let cause: unknown;
  try {
    ({ outcome } = await observe(deps, { previewId, workspaceId, environmentId }, actionName, caller));
  } catch (error) {
    cause = error;
  }
  const observation = await deps.db.oneStatement(caller.tenant, (tx) => takeDraft(tx, previewId));
  if (observation !== null) return observation;
  throw new ServiceError('SERVICE_UNAVAILABLE', {
    message:
      outcome === 'crowded'
        ? 'The workspace has too many reads at providers under way, so there is no preview; nothing was sent. Ask again in some seconds.'
        : 'The provider could not be read, so there is no preview; nothing was sent. Ask again later.',
    log: `the provider could not be read for ${previewId} (${outcome})`,
    ...(cause === undefined ? {} : { cause }),
  });
}

async function observe(
  deps: ApiDependencies,
  ref: ObservePreviewInput,
  actionName: string,
  caller: Caller,
): Promise<ObservePreviewResult> {
  const { temporal: client } = deps;
  const names = { actionName, environmentName: caller.environment.name };
  const { type, options } = observePreviewStart(ref, deps.taskQueue, names);
  const handle = await client.withDeadline(Date.now() + TEMPORAL_CALL_TIMEOUT_MS, () =>
    client.workflow.start<(input: ObservePreviewInput) => Promise<ObservePreviewResult>>(type, {
      ...options,
      requestEagerStart: deps.eagerStart(),
    }),
  );
  return client.withDeadline(Date.now() + OBSERVE_PREVIEW_TIMEOUT_MS, () => handle.result());
}
