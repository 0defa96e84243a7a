import { z } from 'zod';
import { inTrial } from '../../db/trial.ts';
import { validationError } from '../../domain/errors.ts';
import { defineRoute, type WorkDependencies } from '../http/define-route.ts';
import { requireGovernToUngovern } from './access.ts';
import { applyImport } from './import/apply-import.ts';
import { importActionsBody, importedOperationSchema, IMPORT_BODY_BYTES_MAX } from './import/import-body.ts';
import type { ImportedOperation } from './import/import-body.ts';
import type { PlannedImport, ReadImport } from '../threads/import-job.ts';

export const importActionsRoute = defineRoute({
  of: 'environment',
  id: 'actions.import',
  method: 'POST',
  path: '/api/v2/actions/import',
  summary: 'Import actions from an OpenAPI description',
  description:
    'Creates one `http.request` action for each operation of an OpenAPI 3.0, 3.1 or 3.2 description, in one transaction. An ' +
    'action that an earlier import created is updated; importing the same description again changes nothing. An operation ' +
    'that cannot become an action is skipped, with the reason. With `dryRun` the answer is the same, and nothing is kept.\n\n' +
    'The input of an action is `{path, query, headers, cookies, body}`, with the members that the operation has.\n\n' +
    'Every operation but GET and HEAD becomes `governed: true`. With `actions:govern` you can exempt operations in ' +
    '`ungoverned`. An update keeps the governance of an action, except that an operation which did not write before and ' +
    'does now becomes governed.\n\n' +
    'Referring to secrets needs `secrets:read` or `secrets:write`; taking a name that a governed action left behind needs ' +
    '`actions:govern`.',
  scope: 'actions:write',
  role: 'admin',
  bodyBytesMax: IMPORT_BODY_BYTES_MAX,
  request: { body: importActionsBody },
  response: { 200: z.array(importedOperationSchema) },
  errors: ['CONFLICT'],
  idempotent: true,
  openUpload: (deps, workspaceId) => deps.importPlanner.openUpload(workspaceId),
  async readBody(bytes, deps, workspaceId) {
    if (bytes.length === 0) throw validationError([{ path: 'body', message: 'is missing: send a JSON body' }]);
    const { read, digest } = await deps.importPlanner.run(workspaceId, { kind: 'request', bytes });
    return { body: read, digest };
  },
  async prepare({ body, caller, deps }) {
    requireGovernToUngovern(caller, body.settings.ungoverned);
    return body.planned ?? (await planFrom(body, deps, caller.workspaceId));
  },
  async change(tx, { body, caller, actor, deps }, plan) {
    const { ungoverned, dryRun } = body.settings;
    const apply = () => applyImport(tx, plan, { caller, actor, egressAllow: deps.egressAllow });
    if (dryRun) {
      const reply = { status: 200 as const, data: await inTrial(tx, apply) };
      return { reply, audit: 'none: a dry run keeps nothing' };
    }
    const operations = await apply();
    return {
      reply: { status: 200, data: operations },
      audit: {
        action: 'actions.imported',
        target: { type: 'environment', id: caller.environment.id },
        details: {
          title: plan.title,
          ...sourceOf(body),
          ...countsOf(operations),
          ...(ungoverned.length === 0 ? {} : { ungoverned }),
        },
      },
    };
  },
});

async function planFrom(
  { url, settings }: ReadImport,
  deps: WorkDependencies,
  workspaceId: string,
): Promise<PlannedImport> {
  if (url === null) throw new Error('an import has neither a plan nor a URL');
  const fetched = await deps.fetchDocument(url, workspaceId);
  if (fetched.kind === 'refused') throw validationError([{ path: 'body.url', message: fetched.message }]);
  const { planned } = await deps.importPlanner.run(workspaceId, {
    kind: 'document',
    bytes: fetched.bytes,
    url,
    settings,
  });
  return planned;
}

/** Without the query, which may be a signature that opens the document. */
function sourceOf({ url }: ReadImport): { url?: string } {
  if (url === null) return {};
  const { origin, pathname } = new URL(url);
  return { url: `${origin}${pathname}` };
}

function countsOf(operations: readonly ImportedOperation[]): Record<ImportedOperation['status'], number> {
  const counts = { created: 0, updated: 0, unchanged: 0, skipped: 0 };
  for (const { status } of operations) counts[status]++;
  return counts;
}
