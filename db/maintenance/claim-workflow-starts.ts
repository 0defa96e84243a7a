import type { Database } from '../client.ts';

/** What a start is of: the kinds of 0043-workflow-starts. */
export type StartKind =
  'invocation' | 'approval' | 'read' | 'event' | 'email' | 'dead_letter_job' | 'memory_job' | 'schedule' | 'firing';

export interface WorkflowStart {
  kind: StartKind;
  /** The id of the record. */
  id: string;
  /** What the start needs beside the id, by its kind; null where it needs no more. */
  detail: string | null;
  workspaceId: string;
  environmentId: string;
}

/**
 * Claims starts of all environments that are due: `most` of those that were not claimed since their record moved, and `most` of the others,
 * in the order of their ids. One that is claimed is due again after `againInSeconds`, unless its record has moved by then.
 */
export async function claimWorkflowStarts(
  db: Pick<Database, 'directory'>,
  { againInSeconds, most }: { againInSeconds: number; most: number },
): Promise<WorkflowStart[]> {
  return db.directory.rows<WorkflowStart>(
    'claim_workflow_starts',
    `SELECT id, kind, detail, workspace_id AS "workspaceId", environment_id AS "environmentId"
     FROM claim_workflow_starts(make_interval(secs => ?), ?)`,
    [againInSeconds, most],
  );
}
