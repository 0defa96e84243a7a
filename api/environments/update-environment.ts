import {
  CHANGEABLE,
  type EnvironmentChange,
  type EnvironmentRecord,
  updateEnvironment,
} from '../../db/environments/environments.ts';
import { existing } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { defineRoute } from '../http/define-route.ts';
import { requirePasskeyIn } from '../http/second-factor.ts';
import { environmentParams, environmentSchema, presentEnvironment, updateEnvironmentBody } from './schemas.ts';

export const updateEnvironmentRoute = defineRoute({
  of: 'workspace',
  id: 'environments.update',
  method: 'PATCH',
  path: '/api/v2/workspaces/{workspaceId}/environments/{environmentId}',
  summary: 'Change an environment',
  description:
    'Members that you leave out stay as they are. The kind cannot be changed. To stop dispatches, use halt. To take ' +
    '`protected` or `requireSecondFactor` away, confirm with a passkey as for a decision there.',
  role: 'admin',
  request: { params: environmentParams, body: updateEnvironmentBody },
  response: { 200: environmentSchema },
  errors: ['CONFLICT'],
  async change(tx, { params: { environmentId }, body, caller }) {
    const updated = existing(await updateEnvironment(tx, environmentId, changeOf(body)), 'environment');
    const { before, after } = updated;
    // Throwing takes the change back: a stolen session must not end what it would be asked for next.
    if (isLoosened(before, after)) requirePasskeyIn(before, caller.authentication);
    const details = differenceOf(before, after);
    const target = { type: 'environment', id: after.id };
    return {
      reply: { status: 200, data: presentEnvironment(after) },
      audit:
        details === null
          ? 'none: the environment was so already'
          : { action: 'environment.updated', target, environmentId: after.id, details },
    };
  },
});

function changeOf(body: { [Key in keyof EnvironmentChange]?: EnvironmentChange[Key] | undefined }): EnvironmentChange {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function isLoosened(before: EnvironmentRecord, after: EnvironmentRecord): boolean {
  return (before.protected && !after.protected) || (before.requireSecondFactor && !after.requireSecondFactor);
}

/** Returns null when nothing changed. */
function differenceOf(before: EnvironmentRecord, after: EnvironmentRecord): JsonObject | null {
  const changed = CHANGEABLE.filter((member) => before[member] !== after[member]);
  if (changed.length === 0) return null;
  const pick = (record: EnvironmentRecord): JsonObject =>
    Object.fromEntries(changed.map((member) => [member, record[member]]));
  return { before: pick(before), after: pick(after) };
}
