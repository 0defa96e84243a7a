import { ServiceError } from '../../domain/errors.ts';

const UNIQUE_VIOLATION = '23505';
const LIVE_NAME_INDEX = 'approval_policies_live_name';

/** Turns the database's refusal of a second live name into CONFLICT; any other error passes. For `.catch`. */
export function policyNameTaken(name: string): (error: unknown) => never {
  return (error) => {
    const facts = error as { code?: unknown; constraint?: unknown } | null;
    if (facts?.code === UNIQUE_VIOLATION && facts.constraint === LIVE_NAME_INDEX) {
      throw new ServiceError('CONFLICT', {
        message: `An approval policy named "${name}" exists in this environment. Change that one, delete it, or choose another name.`,
        cause: error,
      });
    }
    throw error;
  };
}
