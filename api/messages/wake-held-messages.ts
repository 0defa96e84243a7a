import type { Caller, WorkDependencies } from '../http/define-route.ts';
import { startResumeMessagesWorkflow } from '../starts/message-workflows.ts';

/**
 * Has the messages that a halt has held delivered now; for the resumption, once it is committed. Where Temporal is away the
 * resumption holds all the same, and the sweep wakes them within two minutes.
 */
export async function wakeHeldMessages(deps: WorkDependencies, { tenant, environment }: Caller): Promise<void> {
  const { workspaceId, environmentId } = tenant;
  const told = { environmentName: environment.name, taskQueue: deps.taskQueue };
  await startResumeMessagesWorkflow(deps.temporal, { workspaceId, environmentId }, told);
}
