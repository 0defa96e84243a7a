import type { Client } from '@temporalio/client';

/** What an operator lists and finds a workflow by: its search attributes, memo and summary; and which run of it that is. */
export async function foundBy(
  client: Client,
  workflowId: string,
): Promise<{ runId: string; by: Record<string, unknown> }> {
  const described = await client.workflow.getHandle(workflowId).describe();
  const pairs = described.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
  const [memo, summary] = [described.memo, await described.staticSummary()];
  return { runId: described.runId, by: { ...Object.fromEntries(pairs), memo, summary } };
}
