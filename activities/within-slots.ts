/** Runs at most `slots` executions at once; a further one returns null, so that others of the queue have slots. */
export function withinSlots<Args extends unknown[], Result>(
  activity: (...args: Args) => Promise<Result>,
  slots: number,
): (...args: Args) => Promise<Result | null> {
  let held = 0;
  return async (...args) => {
    if (held >= slots) return null;
    held += 1;
    try {
      return await activity(...args);
    } finally {
      held -= 1;
    }
  };
}
