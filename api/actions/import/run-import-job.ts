import { ACTION_TIMEOUT_MS_DEFAULT, type ActionDefinition } from '../../../domain/actions.ts';
import { httpRequestDescriptor } from '../../../domain/adapters/http-request.ts';
import { digestOf } from '../../../domain/canonical-json.ts';
import { ServiceError, validationError } from '../../../domain/errors.ts';
import type { Json } from '../../../domain/json.ts';
import { DOCUMENT_DEPTH_MAX } from '../../../domain/openapi-import/limits.ts';
import { planImport, type PlannedOperation, TooMuchWork } from '../../../domain/openapi-import/plan-import.ts';
import { mayHoldTooManyValues } from '../../../domain/openapi-import/values.ts';
import { parseJsonBytes } from '../../http/bodies.ts';
import { validateBody } from '../../http/validate-request.ts';
import { actionNameSchema } from '../body-schemas.ts';
import { buildDefinition } from '../definition.ts';
import { importActionsBody } from './import-body.ts';
import type {
  ImportAnswer,
  ImportJob,
  ImportSettings,
  PlannedImport,
  PlannedImportEntry,
} from '../../threads/import-job.ts';

/** The import's work without the database. It takes seconds and so runs in a thread (import-thread.ts). */
export function runImportJob(job: ImportJob): ImportAnswer {
  try {
    return job.kind === 'request' ? readRequest(job.bytes) : readDocument(job);
  } catch (error) {
    if (error instanceof TooMuchWork) return refusedBy(tooMuchWork());
    if (!(error instanceof ServiceError)) throw error;
    return refusedBy(error);
  }
}

function tooMuchWork(): ServiceError {
  const message = 'takes more work than an import may; name some of its operations in body.operations';
  return validationError([{ path: 'body', message }]);
}

function refusedBy({ code, publicMessage: message, details }: ServiceError): ImportAnswer {
  return { kind: 'refused', code, message, details };
}

function readRequest(bytes: Uint8Array): ImportAnswer {
  if (mayHoldTooManyValues(bytes)) throw validationError([{ path: 'body', message: 'holds too many values' }]);
  // A document's integers are bounds of schemas; one beyond 2^53 is the largest that its author could think of.
  const json = parseJsonBytes(bytes, { depthMax: DOCUMENT_DEPTH_MAX, roundsIntegers: true, valuesMax: null });
  const body = validateBody(importActionsBody, json) as ReturnType<typeof importActionsBody.parse>;
  const { document, url, operations = null, ungoverned = [], namePrefix = '', secret = null, dryRun = false } = body;
  const settings: ImportSettings = { operations, ungoverned, namePrefix, secret, dryRun };
  const digest = digestOf(json as Json);
  if (url !== undefined) return { kind: 'request', read: { settings, planned: null, url }, digest };
  const planned = plan(document, 'body.document', settings, null);
  return { kind: 'request', read: { settings, planned, url: null }, digest };
}

function readDocument({ bytes, url, settings }: Extract<ImportJob, { kind: 'document' }>): ImportAnswer {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw validationError([{ path: 'body.url', message: 'leads to a document that is not UTF-8' }]);
  }
  return { kind: 'document', planned: plan(text, 'body.url', settings, url) };
}

function plan(source: unknown, at: string, settings: ImportSettings, baseUrl: string | null): PlannedImport {
  const planned = planImport(source, at, {
    ...settings,
    baseUrl,
    isAllowedName: (name) => actionNameSchema.safeParse(name).success,
  });
  if (!planned.ok) throw validationError(planned.issues);
  const ungoverned = new Set(settings.ungoverned);
  const entries = Array.from(planned.operations, (one) => entryOf(one, ungoverned.has(one.operationId)));
  return { title: planned.title, entries };
}

/** An operation that can change its target is governed unless the caller leaves it ungoverned. */
function entryOf(operation: PlannedOperation, leftUngoverned: boolean): PlannedImportEntry {
  if (operation.kind === 'skipped') return operation;
  const { operationId, name, description, config, inputSchema, notes } = operation;
  try {
    const checked: ActionDefinition = { ...EMPTY, inputSchema };
    const adapter = { ...checked.adapter, config };
    const governed = !leftUngoverned && httpRequestDescriptor.writes({ ...checked, adapter });
    const { definition, digest, secretNames, findings } = buildDefinition(
      { adapter: { type: adapter.type, config }, governed },
      checked,
      [],
    );
    const definitionJson = JSON.stringify(definition);
    const identity = { operationId, name, description };
    return {
      kind: 'action',
      ...identity,
      definitionJson,
      digest,
      secretNames,
      findings,
      governed,
      leftUngoverned,
      notes,
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { kind: 'skipped', operationId, name, reason: firstIssueOf(error) };
  }
}

/** The schema is not checked again: fitting has checked it. */
const EMPTY: Omit<ActionDefinition, 'inputSchema'> = {
  adapter: { type: 'http.request', version: '', config: {} },
  outputSchema: null,
  governed: false,
  impact: [],
  verify: null,
  approval: { required: false, tag: null },
  timeoutMs: ACTION_TIMEOUT_MS_DEFAULT,
};

function firstIssueOf({ details, publicMessage }: ServiceError): string {
  const issues = (details as { issues?: { path: string; message: string }[] } | undefined)?.issues;
  const [first] = issues ?? [];
  return first === undefined
    ? publicMessage
    : `cannot be an action: ${first.path.replace(/^body\./, '')} ${first.message}`;
}
