import { conflictWhereTaken } from '../taken.ts';

/** CONFLICT where the database refuses a second live name; any other error passes. For `.catch`. */
export const nameTaken = (name: string): ((error: unknown) => never) =>
  conflictWhereTaken(
    'impact_limits_live_name',
    `An impact limit named "${name}" exists in this environment. Change that one, archive it, or choose another name.`,
  );
