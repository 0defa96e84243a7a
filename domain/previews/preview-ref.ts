/** Where a preview's rows are found: what the API, workflows and activities hand each other instead of its contents. */
export interface PreviewRef {
  previewId: string;
  workspaceId: string;
  environmentId: string;
}

/**
 * `read`: the draft holds the result. `unavailable`: nothing could be read. `withdrawn`: no caller waits for it any more.
 * `crowded`: the workspace has its share of reads in flight.
 */
export interface DraftObserved {
  outcome: 'read' | 'unavailable' | 'withdrawn' | 'crowded';
}
