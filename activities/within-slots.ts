/**
 * Runs at most `slots` executions of an activity at once. A further one is answered null at once and does nothing. So an activity can
 * share a queue with others and leave them the rest of its slots.
 */
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
