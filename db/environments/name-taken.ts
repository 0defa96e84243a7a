import { conflictWhereTaken } from '../taken.ts';

/** For `.catch`: turns the unique violation of an environment's name into CONFLICT and rethrows any other error. */
export const environmentNameTaken = (name: string): ((error: unknown) => never) =>
  conflictWhereTaken(
    'environments_workspace_id_name_key',
    `An environment named "${name}" exists in this workspace. Choose another name.`,
  );
