import { haltEnvironment, resumeEnvironment, type HaltChange } from '../../db/environments/halt-environment.ts';
import { notFound } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { wakeHeldMessages } from '../messages/wake-held-messages.ts';
import { environmentParams, environmentSchema, haltBody, presentEnvironment } from './schemas.ts';

const WHO =
  'For admins of the workspace, and for API keys that hold `environments:halt`: those reach their own environment alone.';

export const haltEnvironmentRoute = defineRoute({
  id: 'environments.halt',
  method: 'POST',
  path: '/api/v2/workspaces/{workspaceId}/environments/{environmentId}/halt',
  summary: 'Halt an environment',
  description:
    'From the reply on, every process refuses: an invocation is answered with grade `refused` and ' +
    '`dispatch refused (environment_halted): <reason>`, publishing a message with 503 unless the key holds `messages:ingest`. ' +
    'Reading and deleting work, and what was dispatched before is reconciled as usual. An environment that is halted already ' +
    `keeps its first moment and reason, and answers 200. ${WHO}`,
  role: 'admin',
  scope: 'environments:halt',
  environmentFromPath: true,
  request: { params: environmentParams, body: haltBody },
  response: { 200: environmentSchema },
  errors: ['NOT_FOUND'],
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
  id: 'environments.resume',
  method: 'POST',
  path: '/api/v2/workspaces/{workspaceId}/environments/{environmentId}/resume',
  summary: 'Resume a halted environment',
  description:
    'Invocations go through again, and messages that were kept are delivered. What was refused stays refused: invoke it anew, ' +
    `with \`retryOf\`. An environment that runs already answers 200. ${WHO}`,
  role: 'admin',
  scope: 'environments:halt',
  environmentFromPath: true,
  request: { params: environmentParams },
  response: { 200: environmentSchema },
  errors: ['NOT_FOUND'],
  async change(tx, { caller, deps }) {
    const { environment, changed } = existing(await resumeEnvironment(tx, caller.environment.id));
    const target = { type: 'environment', id: environment.id };
    return {
      reply: { status: 200, data: presentEnvironment(environment) },
      audit: changed ? { action: 'environment.resumed', target } : 'none: the environment was not halted',
      after: () => wakeHeldMessages(deps, caller),
    };
  },
});

function existing(change: HaltChange | null): HaltChange {
  if (change === null) throw notFound('environment');
  return change;
}
