import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { log, ParentClosePolicy, startChild, workflowInfo } from '@temporalio/workflow';
import type { MessageRef } from '../domain/messages/messages.ts';
import { deliverMessageStart } from '../temporal/messages/deliver-message.ts';
import { asChild } from '../temporal/start.ts';
import { environmentName } from './environment-name.ts';

/** Starts the delivery of a message that this workflow's activity accepted. It outlives the workflow. */
export async function startDelivery({ messageId, workspaceId, environmentId }: MessageRef): Promise<void> {
  const start = deliverMessageStart({ messageId, workspaceId, environmentId }, workflowInfo().taskQueue, {
    environmentName: environmentName(),
  });
  const { type, options } = asChild(start);
  try {
    await startChild(type, { ...options, parentClosePolicy: ParentClosePolicy.ABANDON });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    log.info('the sweep has started this delivery already', { messageId });
  }
}
