import { codeOf } from '../domain/failures.ts';

/** The SQLSTATE of `refuse(facts)`. */
const REFUSED = 'SC002';

/**
 * For `catch`: where the statement refused (`refuse(facts)` in its text), throws what its facts mean. The transaction has failed then, and
 * nothing that was sent with the statement is committed.
 */
export function meaning<Facts>(
  errorOf: (facts: Facts) => Error,
  factsOf: (detail: string) => Facts = JSON.parse,
): (error: Error) => never {
  return (error) => {
    const { detail } = error as { detail?: unknown };
    if (codeOf(error) !== REFUSED || typeof detail !== 'string') throw error;
    throw errorOf(factsOf(detail));
  };
}
