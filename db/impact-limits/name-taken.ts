import { ServiceError } from '../../domain/errors.ts';

const UNIQUE_VIOLATION = '23505';
const LIVE_NAME_INDEX = 'impact_limits_live_name';

/** Turns the database's refusal of a second live name into CONFLICT; any other error passes. For `.catch`. */
export function nameTaken(name: string): (error: unknown) => never {
  return (error) => {
    const facts = error as { code?: unknown; constraint?: unknown } | null;
    if (facts?.code === UNIQUE_VIOLATION && facts.constraint === LIVE_NAME_INDEX) {
      throw new ServiceError('CONFLICT', {
        message: `An impact limit named "${name}" exists in this environment. Change that one, archive it, or choose another name.`,
        cause: error,
      });
    }
    throw error;
  };
}
