import type {
  Priority,
  SearchAttributePair,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/common';

/** How one workflow is started, by any starter: a request, another workflow, or the sweep. */
export interface Start<Input extends readonly unknown[] = readonly unknown[]> {
  /** The workflow's name in workflows/index.ts. */
  type: string;
  options: StartOptions<Input>;
}

/** A start that always says how it treats a running workflow: Temporal requires that of an Update with start. */
export interface JoiningStart<Input extends readonly unknown[]> extends Start<Input> {
  options: StartOptions<Input> & { workflowIdConflictPolicy: WorkflowIdConflictPolicy };
}

export interface StartOptions<Input extends readonly unknown[]> {
  workflowId: string;
  taskQueue: string;
  args: Input;
  /** Its place among tasks that wait for a worker: `priorityOf`. Activities and children without one of their own inherit it. */
  priority: Priority;
  /** One line in the list of the Temporal UI: `summaryOf`. */
  staticSummary: string;
  /** What the workflow is for and what to do when it stands still: `descriptionOf`. */
  staticDetails: string;
  /** Shown with the workflow in the Temporal UI; ids only. */
  memo?: Record<string, string>;
  typedSearchAttributes: SearchAttributePair[];
  workflowIdReusePolicy: WorkflowIdReusePolicy;
  /** How a client's start treats a running workflow. A child's start always fails there. */
  workflowIdConflictPolicy?: WorkflowIdConflictPolicy;
  workflowExecutionTimeout?: number;
}

/** Priority of waiting tasks; 3 is Temporal's default. Callers wait for invocations, nobody for maintenance. */
export const PRIORITY_KEYS = { invocation: 2, delivery: 3, maintenance: 4 } as const;

/** Within a priority, workspaces take turns (`matching.enableFairness`, docs/operations.md). */
export function priorityOf(work: keyof typeof PRIORITY_KEYS, workspaceId: string): Priority {
  return { priorityKey: PRIORITY_KEYS[work], fairnessKey: workspaceId };
}

/** The length of one name in a summary. Temporal refuses a start whose summary is longer than 400 bytes. */
const PART = /^.{0,64}/su;

/** One line: `refund.create · Production`. A part that is not known is left out. Ids and names only, never a value. */
export function summaryOf(...parts: readonly (string | null | undefined)[]): string {
  return parts.flatMap((part) => (part === null || part === undefined ? [] : [PART.exec(part)?.[0] ?? ''])).join(' · ');
}

export function descriptionOf({ does, standsStill }: { does: string; standsStill: string }): string {
  return `**What it does.** ${does}\n\n**When it stands still.** ${standsStill}`;
}

/** The same for a start within a workflow, to which Temporal offers no conflict policy. */
export function asChild<Input extends readonly unknown[]>({ type, options }: Start<Input>) {
  const { workflowIdConflictPolicy: _clientsOnly, ...childOptions } = options;
  return { type, options: { ...childOptions, args: [...childOptions.args] } };
}
