/** What crosses the border of the workflows of messages: ids and small facts, never a body, a header or a response. */
import type { MessageEnd, MessageRef } from '../../domain/messages/messages.ts';

export const DELIVER_MESSAGE_WORKFLOW = 'deliverMessage';
export type DeliverMessageInput = MessageRef;
export interface DeliverMessageResult {
  status: MessageEnd;
}
/** Ends a wait: something changed that the message waits for (its environment resumed, or it was cancelled). */
export const WAKE_SIGNAL = 'wake';

export const RESUME_MESSAGES_WORKFLOW = 'resumeMessages';
export interface ResumeMessagesInput {
  workspaceId: string;
  environmentId: string;
  /** Of a continued run: where the one before it stopped. */
  afterId?: string;
}

export function messageWorkflowId(messageId: string): string {
  return `message/${messageId}`;
}

export function resumeMessagesWorkflowId(environmentId: string): string {
  return `resume-messages/${environmentId}`;
}

export const START_MESSAGES_WORKFLOW = 'startMessages';
export interface StartMessagesInput {
  workspaceId: string;
  environmentId: string;
  messageIds: string[];
}

export function startMessagesWorkflowId(firstMessageId: string): string {
  return `start-messages/${firstMessageId}`;
}
