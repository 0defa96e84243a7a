import { workflowInfo } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../temporal/search-attributes.ts';

/** The name of the environment, as whoever started this workflow wrote it: for the start of a child. */
export function environmentName(): string | null {
  return workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.environment) ?? null;
}
