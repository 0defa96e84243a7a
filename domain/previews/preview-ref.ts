/** Where a preview's rows are found: what the API, workflows and activities hand each other instead of its contents. */
export interface PreviewRef {
  previewId: string;
  workspaceId: string;
  environmentId: string;
}

/**
 * `read`: the draft has the result. `unavailable`: unreadable. `withdrawn`: no caller waits. `crowded`: too many reads.
 */
export interface DraftObserved {
  outcome: 'read' | 'unavailable' | 'withdrawn' | 'crowded';
}
