/** A signal to a workflow that waits for a permit in flight: one is free, ask again. */
export const PERMIT_FREE_SIGNAL = 'permitFree';

/** The holder of a read's permit: the workflow that waits for the read, and which of its reads it is. */
export function readHolder(workflowId: string, read: number): string {
  return `${workflowId}#${read}`;
}

/** The workflow of a read's permit. */
export function readerOf(holder: string): string {
  return holder.slice(0, holder.lastIndexOf('#'));
}
