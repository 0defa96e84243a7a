import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { MessageRef } from '../../domain/messages/messages.ts';
import {
  DELIVER_MESSAGE_WORKFLOW,
  type DeliverMessageInput,
  messageWorkflowId,
  RESUME_MESSAGES_WORKFLOW,
  resumeMessagesWorkflowId,
  START_MESSAGES_WORKFLOW,
  type StartMessagesInput,
  startMessagesWorkflowId,
  WAKE_SIGNAL,
} from '../../workflows/messages/messages.ts';
import { SEARCH_ATTRIBUTES, TASK_QUEUE } from '../../workflows/search-attributes.ts';

export interface StartOptions {
  /** What the Temporal UI shows; who wakes a message does not know it. */
  summary?: string;
  eager?: boolean;
  taskQueue?: string;
}

/** A request does not hang on a Temporal that is away. */
const TEMPORAL_TIMEOUT_MS = 5_000;

/**
 * Starts the workflow of an accepted message. One that runs is left alone, one that ended well stays ended. Throws what the
 * client throws where Temporal cannot be reached.
 */
export async function startMessageWorkflow(client: Client, ref: MessageRef, options: StartOptions = {}): Promise<void> {
  await unlessEnded(() =>
    client.withDeadline(Date.now() + TEMPORAL_TIMEOUT_MS, () =>
      client.workflow.start(DELIVER_MESSAGE_WORKFLOW, {
        ...settingsOf(ref, options),
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        requestEagerStart: options.eager ?? false,
      }),
    ),
  );
}

/** The same, and one that runs is told to look again. */
export async function wakeMessageWorkflow(client: Client, ref: MessageRef, options: StartOptions = {}): Promise<void> {
  await unlessEnded(() =>
    client.withDeadline(Date.now() + TEMPORAL_TIMEOUT_MS, () =>
      client.workflow.signalWithStart(DELIVER_MESSAGE_WORKFLOW, { ...settingsOf(ref, options), signal: WAKE_SIGNAL }),
    ),
  );
}

/** Tells the workflow of a message that was cancelled, so that it ends now; without this it ends when the message would be due. */
export async function tellMessageWorkflow(client: Client, messageId: string): Promise<void> {
  try {
    await client.withDeadline(Date.now() + TEMPORAL_TIMEOUT_MS, () =>
      client.workflow.getHandle(messageWorkflowId(messageId)).signal(WAKE_SIGNAL),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error; // it never began, or it has ended
  }
}

/**
 * Wakes what a halt has held, once the resumption is committed. A run that still wakes for an earlier resumption is replaced:
 * what it woke may have been held again since. Where this throws, the messages look again by themselves within five minutes.
 */
export async function startResumeMessagesWorkflow(
  client: Client,
  environment: { workspaceId: string; environmentId: string },
  taskQueue: string = TASK_QUEUE,
): Promise<void> {
  const { workspaceId, environmentId } = environment;
  await client.withDeadline(Date.now() + TEMPORAL_TIMEOUT_MS, () =>
    client.workflow.start(RESUME_MESSAGES_WORKFLOW, {
      workflowId: resumeMessagesWorkflowId(environmentId),
      taskQueue,
      args: [{ workspaceId, environmentId }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.TERMINATE_EXISTING,
      staticSummary: 'delivers what the halt of an environment has held',
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.workspaceId, value: workspaceId },
        { key: SEARCH_ATTRIBUTES.environmentId, value: environmentId },
      ],
    }),
  );
}

/** Hands many accepted messages to a workflow that starts theirs: one call, however many they are. */
export async function startMessageWorkflows(
  client: Client,
  input: StartMessagesInput,
  taskQueue: string = TASK_QUEUE,
): Promise<void> {
  const { workspaceId, environmentId, messageIds } = input;
  await client.withDeadline(Date.now() + TEMPORAL_TIMEOUT_MS, () =>
    client.workflow.start(START_MESSAGES_WORKFLOW, {
      workflowId: startMessagesWorkflowId(messageIds[0] ?? ''),
      taskQueue,
      args: [{ workspaceId, environmentId, messageIds }],
      staticSummary: `starts ${messageIds.length} messages of a batch`,
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.workspaceId, value: workspaceId },
        { key: SEARCH_ATTRIBUTES.environmentId, value: environmentId },
      ],
    }),
  );
}

function settingsOf(ref: MessageRef, options: StartOptions) {
  const { messageId, workspaceId, environmentId } = ref;
  return {
    workflowId: messageWorkflowId(messageId),
    taskQueue: options.taskQueue ?? TASK_QUEUE,
    args: [{ messageId, workspaceId, environmentId }] satisfies [DeliverMessageInput],
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    staticSummary: options.summary ?? messageId,
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.workspaceId, value: workspaceId },
      { key: SEARCH_ATTRIBUTES.environmentId, value: environmentId },
      { key: SEARCH_ATTRIBUTES.stage, value: 'pending' },
    ],
  };
}

async function unlessEnded(start: () => Promise<unknown>): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error; // it ran to its end
  }
}
