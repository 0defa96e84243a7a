import type { Upload } from './upload.ts';

export interface UploadsOptions {
  /** Bodies of one workspace at a time. */
  aWorkspaceMax: number;
  /** Bytes that have arrived, of all workspaces. */
  bytesMax: number;
  /** The message for an upload beyond the limit. */
  refusal: () => Error;
}

/**
 * The large bodies that a process holds. A workspace sends a few at a time. The bytes of all are counted as they arrive, so that a
 * slow upload uses a slot of its own workspace and almost none of the memory that the others need.
 */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #open = new Map<string, number>();
  #bytes = 0;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  open(workspaceId: string): Upload {
    const { aWorkspaceMax, bytesMax, refusal } = this.#options;
    const open = this.#open.get(workspaceId) ?? 0;
    if (open >= aWorkspaceMax) throw refusal();
    this.#open.set(workspaceId, open + 1);
    let taken = 0;
    return {
      take: (bytes) => {
        if (this.#bytes + bytes > bytesMax) throw refusal();
        taken += bytes;
        this.#bytes += bytes;
      },
      leave: () => {
        this.#bytes -= taken;
        const left = (this.#open.get(workspaceId) ?? 1) - 1;
        if (left === 0) this.#open.delete(workspaceId);
        else this.#open.set(workspaceId, left);
      },
    };
  }
}
