/**
 * How many rows one of several statements deletes. A row may hold a third of a megabyte, and all rows of an environment more than the
 * time-out of a statement allows for.
 */
export const DELETED_PER_STATEMENT_MAX = 1_000;

export interface DeletedStep {
  /** How many rows the statement looked for and found. Fewer than it may delete: there are no more. */
  found: number;
  /** Those deleted rows that the caller counts. */
  counted: number;
}

/**
 * Deletes any number of rows in statements that are short each. They belong to one transaction, so that all rows go or none. Returns the sum of
 * what they count.
 */
export async function deleteInSteps(step: (most: number) => Promise<DeletedStep | undefined>): Promise<number> {
  let sum = 0;
  for (;;) {
    const { found, counted } = (await step(DELETED_PER_STATEMENT_MAX)) ?? { found: 0, counted: 0 };
    sum += counted;
    // The number found, not the number deleted: another transaction may have deleted some of them meanwhile.
    if (found < DELETED_PER_STATEMENT_MAX) return sum;
  }
}
