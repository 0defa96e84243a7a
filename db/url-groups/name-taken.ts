import { conflictWhereTaken } from '../taken.ts';

/** For `.catch`: turns the unique violation of a group's name into CONFLICT and rethrows any other error. */
export const nameTaken = (name: string): ((error: unknown) => never) =>
  conflictWhereTaken(
    'url_groups_live_name',
    `A URL group named "${name}" exists in this environment. Use that one, delete it, or choose another name.`,
  );
