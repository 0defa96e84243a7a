import type { Tenant } from '../../db/client.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { startResumeMessagesWorkflow } from './message-workflows.ts';

/**
 * Has the messages that a halt has held delivered now; for the resumption, once it is committed. Where Temporal is away the
 * resumption holds all the same, and the messages find it out by themselves within five minutes.
 */
export async function wakeHeldMessages(deps: ApiDependencies, environment: Tenant): Promise<void> {
  try {
    await startResumeMessagesWorkflow(deps.temporal, environment, deps.taskQueue);
  } catch (error) {
    const failure = error instanceof Error ? error.message : 'unknown reason';
    deps.logger.warn({ ...environment, failure }, 'held messages were not woken: they look again by themselves');
  }
}
