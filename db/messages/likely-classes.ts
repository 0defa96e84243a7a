import { LRUCache } from 'lru-cache';
import { classesOf } from './retention-classes.ts';

const WORKSPACES_MAX = 10_000;

/**
 * The retention class of the last message of each workspace in this process. A statement that names the class opens one partition, and
 * not one in each class. The plan of a workspace seldom changes; a message of another class is still found, by a second look.
 */
export class LikelyClasses {
  readonly #classes = new LRUCache<string, string>({ max: WORKSPACES_MAX });

  of(workspaceId: string): string | null {
    return this.#classes.get(workspaceId) ?? null;
  }

  note(workspaceId: string, retention: string): void {
    const [named = retention] = classesOf(retention);
    this.#classes.set(workspaceId, named);
  }

  forget(workspaceId: string): void {
    this.#classes.delete(workspaceId);
  }
}
