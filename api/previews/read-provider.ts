import type { EnvironmentTransaction } from '../../db/client.ts';
import { insertDraft } from '../../db/previews/insert-draft.ts';
import { takeDraft } from '../../db/previews/take-draft.ts';
import { readSecretVersions } from '../../db/secrets/read-secret-versions.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Observation } from '../../domain/previews/observation.ts';
import {
  OBSERVE_PREVIEW_WORKFLOW,
  type ObservePreviewInput,
  type ObservePreviewResult,
  previewWorkflowId,
} from '../../workflows/previews/messages.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Caller } from '../http/define-route.ts';
import { wouldBeRefused, type Previewable, type PreviewRequest } from './compose-preview.ts';

/** An API request does not hang on a Temporal that is away. */
const START_TIMEOUT_MS = 5_000;
/** The workflow's activity ends within 18 s. */
const READ_TIMEOUT_MS = 22_000;

/** Keeps what a worker needs to read the provider for this preview. What cannot be opened is not asked for. */
export async function draftPreview(
  tx: EnvironmentTransaction,
  { action, descriptor }: Previewable,
  request: PreviewRequest,
): Promise<void> {
  const versions = await readSecretVersions(tx, descriptor.secretNames(action.definition));
  const missing = Object.keys(versions).filter((name) => versions[name] === 0);
  if (missing.length > 0) {
    const message = `no secret named ${missing.join(', ')} in this environment`;
    throw wouldBeRefused({ code: 'secret_missing', message });
  }
  const { id, invocationId, effectId, input } = request;
  const operationKey = request.operationKey ?? invocationId;
  await insertDraft(tx, { id, versionId: action.currentVersion.id, invocationId, effectId, operationKey, input });
}

/**
 * Has a worker read the provider for a draft, waits for it, and answers what was read. The API opens no credential and calls
 * nobody. A preview without the evidence that its adapter can give would promise more than is known, so there is none: the
 * caller is asked to try again. The draft is gone in every case, unless this process dies.
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
    message: 'The provider could not be read, so there is no preview; nothing was sent. Ask again later.',
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
  const handle = await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
    client.workflow.start<(input: ObservePreviewInput) => Promise<ObservePreviewResult>>(OBSERVE_PREVIEW_WORKFLOW, {
      workflowId: previewWorkflowId(ref.previewId),
      taskQueue: deps.taskQueue,
      args: [ref],
      workflowExecutionTimeout: READ_TIMEOUT_MS,
      requestEagerStart: deps.eagerStart,
      staticSummary: `preview ${actionName} · ${caller.environment.name}`,
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.workspaceId, value: ref.workspaceId },
        { key: SEARCH_ATTRIBUTES.environmentId, value: ref.environmentId },
        { key: SEARCH_ATTRIBUTES.environment, value: caller.environment.name },
        { key: SEARCH_ATTRIBUTES.actionName, value: actionName },
      ],
    }),
  );
  return client.withDeadline(Date.now() + READ_TIMEOUT_MS, () => handle.result());
}
