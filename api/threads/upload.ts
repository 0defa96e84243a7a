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
