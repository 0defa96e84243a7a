import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { EmailEnd, EmailRef } from '../../domain/notifications/emails.ts';
import { searchAttributes } from '../search-attributes.ts';
import { descriptionOf, priorityOf, type Start, summaryOf } from '../start.ts';

export const SEND_EMAIL_WORKFLOW = 'sendEmail';
export type SendEmailInput = EmailRef;
export interface SendEmailResult {
  status: EmailEnd;
}

export function emailWorkflowId(emailId: string): string {
  return `email/${emailId}`;
}

const DESCRIPTION = descriptionOf({
  does:
    'Sends one e-mail of a notification to one recipient: attempts it, and waits for the next attempt where the mail server certainly did ' +
    'not take it. An e-mail whose answer was lost is not sent again, and ends as unknown.',
  standsStill:
    'The current details say when the next attempt is. It may be terminated: the sweep starts it again where that attempt is overdue.',
});

/** A running workflow is left as it is. */
export function sendEmailStart(
  ref: SendEmailInput,
  taskQueue: string,
  environmentName: string | null,
): Start<[SendEmailInput]> {
  const { emailId, workspaceId, environmentId } = ref;
  return {
    type: SEND_EMAIL_WORKFLOW,
    options: {
      workflowId: emailWorkflowId(emailId),
      taskQueue,
      args: [{ emailId, workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      priority: priorityOf('delivery', workspaceId),
      staticSummary: summaryOf('sends an e-mail', environmentName),
      staticDetails: DESCRIPTION,
      typedSearchAttributes: searchAttributes({
        workspaceId,
        environmentId,
        environment: environmentName,
        stage: 'queued',
      }),
    },
  };
}
