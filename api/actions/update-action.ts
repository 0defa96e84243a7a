import { lockAction, updateAction } from '../../db/actions/changes.ts';
import type { ActionRecord, NewVersion } from '../../db/actions/records.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Actor, type Caller, defineRoute } from '../http/define-route.ts';
import {
  requireGovernScope,
  requireGovernToRename,
  requireGovernToWriteUngoverned,
  requireSecretScope,
  takeNames,
} from './access.ts';
import { actionRefParams, presentAction } from './action-schemas.ts';
import { actionEntry } from './audit.ts';
import { requirePinnableName } from './pinned.ts';
import { updateActionBody } from './body-schemas.ts';
import { buildDefinition, type BuiltDefinition, configIssuesOf, schemaIssuesOf } from './definition.ts';
import { missingSecretsOf, warningsOf, writtenActionSchema } from './warnings.ts';
import { missingAction } from '../http/failures.ts';

export const updateActionRoute = defineRoute({
  of: 'environment',
  id: 'actions.update',
  method: 'PATCH',
  path: '/api/v2/actions/{ref}',
  summary: 'Change an action',
  description:
    'Send the members to change; the others stay as they are. `null` removes `description`, `verify` or `outputSchema`. A ' +
    'changed definition becomes the next version. A new name, description or `mcp` alone makes no version, and neither does a ' +
    'change that alters nothing. Concurrent changes are applied one after the other.\n\n' +
    'More scopes are needed in these cases:\n\n' +
    '- `actions:govern` to change `approval`; to change `impact`, `verify` or `governed` of an action that is governed or ' +
    'requires approval; to rename such an action; to take the name that one left behind.\n' +
    '- `actions:govern` to give such an action another adapter (type or version), or another config, except the members of ' +
    '`http.request` that make the request: all but `allowedHosts`, `secrets`, `success` and `failure`.\n' +
    '- `actions:govern` in a protected environment for a new version or name of an ungoverned action that writes (any ' +
    'method but GET and HEAD).\n' +
    '- `secrets:read` or `secrets:write` for a new version that refers to secrets.',
  scope: 'actions:write',
  role: 'admin',
  request: { params: actionRefParams, body: updateActionBody, issuesBeside: configIssuesOf },
  response: { 200: writtenActionSchema },
  errors: ['NOT_FOUND', 'CONFLICT'],
  prepare: ({ body, caller, deps }) => schemaIssuesOf(deps.schemas, caller.tenant.workspaceId, body),
  async change(tx, { params, body, caller, actor, deps }, schemaIssues) {
    const before = await lockAction(tx, params.ref);
    if (before === null) throw await missingAction(tx, params.ref);
    if (before.archivedAt !== null) throw archived(before);
    const built = buildDefinition(body, before.definition, schemaIssues);
    const version = nextVersion(before, built, { caller, actor, changeNote: body.changeNote ?? null });
    const name = body.name ?? before.name;
    const mcpPinned = body.mcp?.pinned ?? before.mcpPinned;
    requirePinnableName(name, mcpPinned, body.name === undefined ? 'body.mcp.pinned' : 'body.name');
    if (name !== before.name) requireGovernToRename(caller, before.definition);
    if (version !== null || name !== before.name) {
      requireGovernToWriteUngoverned(caller, version?.definition ?? before.definition);
    }
    const warnings = warningsOf(built.findings, deps.egressAllow, await missingSecretsOf(tx, built.secretNames));
    const description = body.description === undefined ? before.description : body.description;
    const isSame = name === before.name && description === before.description && mcpPinned === before.mcpPinned;
    if (version === null && isSame) {
      return {
        reply: { status: 200, data: { ...presentAction(before), warnings } },
        audit: 'none: the action was so already',
      };
    }
    const after = await updateAction(tx, before, { name, description, mcpPinned, version });
    if (name !== before.name) await takeNames(tx, caller, [name]);
    return {
      reply: { status: 200, data: { ...presentAction(after), warnings } },
      audit: actionEntry('action.updated', after, before),
    };
  },
});

/** Returns the new version, or null when the definition stays the same. Checks what the caller may change. */
function nextVersion(
  before: ActionRecord,
  { definition, digest, secretNames }: BuiltDefinition,
  { caller, actor, changeNote }: { caller: Caller; actor: Actor; changeNote: string | null },
): NewVersion | null {
  if (digest === before.currentVersion.digest) return null;
  requireGovernScope(caller, before.definition, definition);
  requireSecretScope(caller, secretNames);
  return { definition, digest, createdBy: actor, changeNote };
}

function archived(action: ActionRecord): ServiceError {
  return new ServiceError('CONFLICT', {
    message: `Action ${action.id} is archived and no longer changes. Create a new action; the name may be free again.`,
  });
}
