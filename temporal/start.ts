import type { SearchAttributePair, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';

/** How one workflow is started, by any starter: a request, another workflow, or the sweep. */
export interface Start<Input extends readonly unknown[] = readonly unknown[]> {
  /** The workflow's name in workflows/index.ts. */
  type: string;
  options: StartOptions<Input>;
}

export interface StartOptions<Input extends readonly unknown[]> {
  workflowId: string;
  taskQueue: string;
  args: Input;
  staticSummary: string;
  staticDetails?: string;
  /** Shown with the workflow in the Temporal UI; ids only. */
  memo?: Record<string, string>;
  typedSearchAttributes: SearchAttributePair[];
  workflowIdReusePolicy: WorkflowIdReusePolicy;
  /** How a client's start treats a running workflow. A child's start always fails there. */
  workflowIdConflictPolicy?: WorkflowIdConflictPolicy;
  workflowExecutionTimeout?: number;
}

/** The same for a start within a workflow, to which Temporal offers no conflict policy. */
export function asChild<Input extends readonly unknown[]>({ type, options }: Start<Input>) {
  const { workflowIdConflictPolicy: _clientsOnly, ...childOptions } = options;
  return { type, options: { ...childOptions, args: [...childOptions.args] } };
}
