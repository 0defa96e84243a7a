import { conflictWhereTaken } from '../taken.ts';

/** For `.catch`: turns the unique violation of a live name into CONFLICT and rethrows any other error. */
export const nameTaken = (name: string): ((error: unknown) => never) =>
  conflictWhereTaken(
    'impact_limits_live_name',
    `An impact limit named "${name}" exists in this environment. Change that one, archive it, or choose another name.`,
  );
