/** An error's kind and stack position. Its message may quote credentials, and the history keeps what is thrown. */
export function withoutMessage(error: unknown): { type: string; stack: string[] } {
  if (!(error instanceof Error)) return { type: typeof error, stack: [] };
  return { type: error.name, stack: (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at ')) };
}
