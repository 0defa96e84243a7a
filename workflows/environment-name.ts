import { workflowInfo } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../temporal/search-attributes.ts';

/** The name of the environment, as the start of this workflow gave it: for the start of a child. */
export function environmentName(): string | null {
  return workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.environment) ?? null;
}
