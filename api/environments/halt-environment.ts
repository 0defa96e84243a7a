import { recordAudit } from '../../db/audit/record-audit.ts';
import { haltEnvironment, resumeEnvironment, type HaltChange } from '../../db/environments/halt-environment.ts';
import type { WorkspaceTransaction } from '../../db/client.ts';
import { notFound } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { defineRoute, type Actor, type Caller } from '../http/define-route.ts';
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
  async handler({ body, caller, actor, requestId, deps }) {
    const { reason } = body;
    const environment = await deps.db.withWorkspace(caller.workspaceId, async (tx) => {
      const change = await haltEnvironment(tx, caller.environment.id, { reason, actor });
      return record(tx, change, { caller, action: 'environment.halted', actor, requestId, details: { reason } });
    });
    return { status: 200, data: presentEnvironment(environment) };
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
  async handler({ caller, actor, requestId, deps }) {
    const environment = await deps.db.withWorkspace(caller.workspaceId, async (tx) => {
      const change = await resumeEnvironment(tx, caller.environment.id);
      return record(tx, change, { caller, action: 'environment.resumed', actor, requestId, details: {} });
    });
    await wakeHeldMessages(deps, { workspaceId: caller.workspaceId, environmentId: environment.id });
    return { status: 200, data: presentEnvironment(environment) };
  },
});

interface Doing {
  caller: Caller;
  action: 'environment.halted' | 'environment.resumed';
  actor: Actor;
  requestId: string;
  details: JsonObject;
}

/** The environment as it is now; what changed nothing leaves no entry. */
async function record(
  tx: WorkspaceTransaction,
  change: HaltChange | null,
  { caller, ...entry }: Doing,
): Promise<HaltChange['environment']> {
  if (change === null) throw notFound('environment');
  const { environment, changed } = change;
  if (changed) {
    const target = { type: 'environment', id: environment.id };
    await recordAudit(tx, { workspaceId: caller.workspaceId, environmentId: environment.id, target, ...entry });
  }
  return environment;
}
