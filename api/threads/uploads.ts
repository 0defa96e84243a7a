/** A body that is so large that only a few may be held at once. */
export interface Upload {
  /**
   * Counts bytes as they arrive.
   *
   * @throws {ServiceError} SERVICE_UNAVAILABLE where they are more than the process may hold.
   */
  take(bytes: number): void;
  /** Gives everything back, once the request is answered. */
  leave(): void;
}

export interface UploadsOptions {
  /** Bodies of one workspace at a time. */
  aWorkspaceMax: number;
  /** Bytes that have arrived, of one workspace; left out: as many as of all. */
  bytesAWorkspaceMax?: number;
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
  /** By workspace: how many bodies, and the bytes of them that have arrived. */
  readonly #open = new Map<string, { bodies: number; bytes: number }>();
  #bytes = 0;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  open(workspaceId: string): Upload {
    const { aWorkspaceMax, bytesMax, bytesAWorkspaceMax = bytesMax, refusal } = this.#options;
    const own = this.#open.get(workspaceId) ?? { bodies: 0, bytes: 0 };
    if (own.bodies >= aWorkspaceMax) throw refusal();
    this.#open.set(workspaceId, own);
    own.bodies++;
    let taken = 0;
    return {
      take: (bytes) => {
        if (own.bytes + bytes > bytesAWorkspaceMax || this.#bytes + bytes > bytesMax) throw refusal();
        taken += bytes;
        own.bytes += bytes;
        this.#bytes += bytes;
      },
      leave: () => {
        own.bytes -= taken;
        this.#bytes -= taken;
        own.bodies--;
        if (own.bodies === 0) this.#open.delete(workspaceId);
      },
    };
  }
}
