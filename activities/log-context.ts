import { AsyncLocalStorage } from 'node:async_hooks';
import { asyncLocalStorage as activityContexts } from '@temporalio/activity';
import { idsOfWorkflow, touchedIds } from '../domain/touched-ids.ts';

const inputs = new AsyncLocalStorage<readonly unknown[]>();

/** Runs an activity so that each line that it logs names its workflow, and the records that its input names. */
export function inLogContext<Args extends readonly unknown[], Result>(
  run: (...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => inputs.run(args, () => run(...args));
}

/** What pino adds to each line of a worker (its `mixin`); nothing outside of an activity. */
export function activityLogFields(): Record<string, string | number> {
  const context = activityContexts.getStore();
  if (context === undefined) return {};
  const { workflowExecution, activityType } = context.info;
  const workflowId = workflowExecution?.workflowId ?? '';
  return {
    activity: activityType,
    workflowId,
    runId: workflowExecution?.runId ?? '',
    ...idsOfWorkflow(workflowId),
    ...touchedIds(...(inputs.getStore() ?? [])),
  };
}
