const WORKSPACES_MAX = 10_000;

/**
 * The retention class that the last message of each workspace had here. A statement that names the class opens one partition, and not one
 * in each class. The plan of a workspace seldom changes; a message of another class is found all the same, by a second statement.
 */
export class LikelyClasses {
  readonly #classes = new Map<string, string>();

  of(workspaceId: string): string | null {
    return this.#classes.get(workspaceId) ?? null;
  }

  note(workspaceId: string, retention: string): void {
    if (this.#classes.size >= WORKSPACES_MAX && !this.#classes.has(workspaceId)) this.#classes.clear();
    this.#classes.set(workspaceId, retention);
  }
}
