/** Counts the requests of each workspace that wait in this process, since each holds a connection of it. */
export class Places {
  private readonly aWorkspaceMax: number;
  private readonly taken = new Map<string, number>();

  constructor(aWorkspaceMax: number) {
    this.aWorkspaceMax = aWorkspaceMax;
  }

  /** Returns what gives the place back; null where the workspace has all of its own. */
  take(workspaceId: string): (() => void) | null {
    const taken = this.taken.get(workspaceId) ?? 0;
    if (taken >= this.aWorkspaceMax) return null;
    this.taken.set(workspaceId, taken + 1);
    return () => {
      const left = (this.taken.get(workspaceId) ?? 1) - 1;
      if (left === 0) this.taken.delete(workspaceId);
      else this.taken.set(workspaceId, left);
    };
  }
}
