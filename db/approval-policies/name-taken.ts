import { conflictWhereTaken } from '../taken.ts';

/** For `.catch`: turns the unique violation of a live name into CONFLICT and rethrows any other error. */
export const policyNameTaken = (name: string): ((error: unknown) => never) =>
  conflictWhereTaken(
    'approval_policies_live_name',
    `An approval policy named "${name}" exists in this environment. Change that one, delete it, or choose another name.`,
  );
