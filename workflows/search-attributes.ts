import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/**
 * What an operator finds an invocation by in the Temporal UI. All Keywords: at most 10 on PostgreSQL. Never a secret.
 * The embedded stack and `npm run temporal:setup` register them.
 */
export const SEARCH_ATTRIBUTES = {
  workspaceId: defineSearchAttributeKey('WorkspaceId', SearchAttributeType.KEYWORD),
  environmentId: defineSearchAttributeKey('EnvironmentId', SearchAttributeType.KEYWORD),
  environment: defineSearchAttributeKey('Environment', SearchAttributeType.KEYWORD),
  actionName: defineSearchAttributeKey('ActionName', SearchAttributeType.KEYWORD),
  invocationId: defineSearchAttributeKey('InvocationId', SearchAttributeType.KEYWORD),
  effectId: defineSearchAttributeKey('EffectId', SearchAttributeType.KEYWORD),
  stage: defineSearchAttributeKey('Stage', SearchAttributeType.KEYWORD),
  grade: defineSearchAttributeKey('Grade', SearchAttributeType.KEYWORD),
} as const;

export const TASK_QUEUE = 'agent-actions';
