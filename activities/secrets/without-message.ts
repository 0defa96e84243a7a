/**
 * The part of an error that may be kept where credentials were at hand: its kind and its stack position. Its message may
 * quote them, and the history keeps what an activity throws.
 */
export function withoutMessage(error: unknown): { type: string; stack: string[] } {
  if (!(error instanceof Error)) return { type: typeof error, stack: [] };
  return { type: error.name, stack: (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at ')) };
}
