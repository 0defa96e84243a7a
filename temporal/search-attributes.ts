import { defineSearchAttributeKey, SearchAttributeType, type SearchAttributePair } from '@temporalio/common';

/** Keywords (at most 10 on PostgreSQL), never a secret. `npm run temporal:setup` registers them. */
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

/** The `Environment` of what belongs to the installation. No environment has an id for it, so no name can be mistaken for it. */
export const EVERY_ENVIRONMENT = '(every environment)';

export type SearchAttributeValues = { [Name in keyof typeof SEARCH_ATTRIBUTES]?: string | null | undefined };

/** The pairs for Temporal. An undefined or null value is left out. */
export function searchAttributes(values: SearchAttributeValues): SearchAttributePair[] {
  const names = Object.keys(SEARCH_ATTRIBUTES) as (keyof typeof SEARCH_ATTRIBUTES)[];
  return names.flatMap((name) => {
    const value = values[name];
    return value === undefined || value === null ? [] : [{ key: SEARCH_ATTRIBUTES[name], value }];
  });
}
