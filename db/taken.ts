import { ServiceError } from '../domain/errors.ts';

const UNIQUE_VIOLATION = '23505';

/** For `.catch`: turns a violation of the unique `constraint` into CONFLICT with this message and rethrows any other error. */
export function conflictWhereTaken(constraint: string, message: string): (error: unknown) => never {
  return (error) => {
    const facts = error as { code?: unknown; constraint?: unknown } | null;
    if (facts?.code === UNIQUE_VIOLATION && facts.constraint === constraint) {
      throw new ServiceError('CONFLICT', { message, cause: error });
    }
    throw error;
  };
}
