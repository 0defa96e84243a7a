export const NOT_FOUND = 5;
export const ALREADY_EXISTS = 6;

/** Whether a request to Temporal's server failed with this status of gRPC. */
export function hasGrpcCode(error: unknown, code: number): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
