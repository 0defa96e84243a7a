/**
 * What may be kept of an error that was thrown while credentials were at hand: its kind and its place. Its message may quote
 * them, and what an activity throws is kept in the history.
 */
export function withoutMessage(error: unknown): { type: string; stack: string[] } {
  if (!(error instanceof Error)) return { type: typeof error, stack: [] };
  return { type: error.name, stack: (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at ')) };
}
