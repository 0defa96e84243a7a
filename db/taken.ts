import { ServiceError } from '../domain/errors.ts';

const UNIQUE_VIOLATION = '23505';

/** Turns the database's refusal of what `constraint` keeps unique into CONFLICT with this message; any other error passes. For `.catch`. */
export function conflictWhereTaken(constraint: string, message: string): (error: unknown) => never {
  return (error) => {
    const facts = error as { code?: unknown; constraint?: unknown } | null;
    if (facts?.code === UNIQUE_VIOLATION && facts.constraint === constraint) {
      throw new ServiceError('CONFLICT', { message, cause: error });
    }
    throw error;
  };
}
