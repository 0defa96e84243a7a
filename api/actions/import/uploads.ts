import type { Upload } from '../../http/upload.ts';

export interface UploadsOptions {
  /** Bodies of one workspace at a time. */
  aWorkspaceMax: number;
  /** Bytes that have arrived, of all workspaces. */
  bytesMax: number;
  /** What whoever comes too many is told. */
  refusal: () => Error;
}

/**
 * The large bodies that a process holds. A workspace sends a few at a time. What all hold together is counted as it arrives, so that a slow upload
 * takes its own workspace's place and next to none of what the others need.
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
