import { type HaltChange, haltEnvironment, resumeEnvironment } from '../../db/environments/halt.ts';
import { notFound } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { lanesAreReady } from '../../db/announcements/lanes-ready.ts';
import { environmentParams, environmentSchema, haltBody, presentEnvironment } from './schemas.ts';

const WHO = 'Allowed for admins of the workspace, and for API keys with `environments:halt`, in their own environment.';

export const haltEnvironmentRoute = defineRoute({
  of: 'environment',
  id: 'environments.halt',
  method: 'POST',
  path: '/api/v2/workspaces/{workspaceId}/environments/{environmentId}/halt',
  summary: 'Halt an environment',
  description:
    'Stops every new dispatch, on every process, from this reply on. Invocations are answered with the grade `refused` and the error ' +
    '`dispatch refused (environment_halted): <reason>`. Publishing a message answers 503, unless the key holds `messages:ingest`. ' +
    'Reading and deleting still work, and what was dispatched before is reconciled as usual.\n\n' +
    `Halting a halted environment answers 200 and keeps the first time and reason. ${WHO}`,
  role: 'admin',
  stepUp: true,
  scope: 'environments:halt',
  environmentFromPath: true,
  request: { params: environmentParams, body: haltBody },
  response: { 200: environmentSchema },
  async change(tx, { body: { reason }, caller, actor }) {
    const { environment, changed } = existing(await haltEnvironment(tx, caller.environment.id, { reason, actor }));
    const target = { type: 'environment', id: environment.id };
    return {
      reply: { status: 200, data: presentEnvironment(environment) },
      audit: changed
        ? { action: 'environment.halted', target, details: { reason } }
        : 'none: the environment was halted before',
    };
  },
});

export const resumeEnvironmentRoute = defineRoute({
  of: 'environment',
  id: 'environments.resume',
  method: 'POST',
  path: '/api/v2/workspaces/{workspaceId}/environments/{environmentId}/resume',
  summary: 'Resume a halted environment',
  description:
    'Invocations are dispatched again, and messages that were kept are delivered. What was refused stays refused: invoke it again, ' +
    `with \`retryOf\`. Resuming an environment that is not halted answers 200. ${WHO}`,
  role: 'admin',
  stepUp: true,
  scope: 'environments:halt',
  environmentFromPath: true,
  request: { params: environmentParams },
  response: { 200: environmentSchema },
  async change(tx, { caller }) {
    const { environment, changed } = existing(await resumeEnvironment(tx, caller.environment.id));
    lanesAreReady(tx);
    const target = { type: 'environment', id: environment.id };
    return {
      reply: { status: 200, data: presentEnvironment(environment) },
      audit: changed ? { action: 'environment.resumed', target } : 'none: the environment was not halted',
    };
  },
});

function existing(change: HaltChange | null): HaltChange {
  if (change === null) throw notFound('environment');
  return change;
}
