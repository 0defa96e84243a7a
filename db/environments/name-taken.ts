import { ServiceError } from '../../domain/errors.ts';

const UNIQUE_VIOLATION = '23505';
const NAME_CONSTRAINT = 'environments_workspace_id_name_key';

/** Turns the database's refusal of a second environment of a name into CONFLICT; any other error passes. For `.catch`. */
export function environmentNameTaken(name: string): (error: unknown) => never {
  return (error) => {
    const facts = error as { code?: unknown; constraint?: unknown } | null;
    if (facts?.code === UNIQUE_VIOLATION && facts.constraint === NAME_CONSTRAINT) {
      throw new ServiceError('CONFLICT', {
        message: `An environment named "${name}" exists in this workspace. Choose another name.`,
        cause: error,
      });
    }
    throw error;
  };
}
