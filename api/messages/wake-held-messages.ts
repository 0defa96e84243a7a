import type { Caller, WorkDependencies } from '../http/define-route.ts';
import { startResumeMessagesWorkflow } from './message-workflows.ts';

/**
 * Has the messages that a halt has held delivered now; for the resumption, once it is committed. Where Temporal is away the
 * resumption holds all the same, and the messages find it out by themselves within five minutes.
 */
export async function wakeHeldMessages(deps: WorkDependencies, { tenant, environment }: Caller): Promise<void> {
  const { workspaceId, environmentId } = tenant;
  await startResumeMessagesWorkflow(deps.temporal, { workspaceId, environmentId }, environment.name, deps.taskQueue);
}
