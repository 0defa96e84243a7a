import { conflictWhereTaken } from '../taken.ts';

/** CONFLICT where the database refuses a second live name; any other error passes. For `.catch`. */
export const policyNameTaken = (name: string): ((error: unknown) => never) =>
  conflictWhereTaken(
    'approval_policies_live_name',
    `An approval policy named "${name}" exists in this environment. Change that one, delete it, or choose another name.`,
  );
