import { conflictWhereTaken } from '../taken.ts';

/** CONFLICT where the database refuses a second environment of a name; any other error passes. For `.catch`. */
export const environmentNameTaken = (name: string): ((error: unknown) => never) =>
  conflictWhereTaken(
    'environments_workspace_id_name_key',
    `An environment named "${name}" exists in this workspace. Choose another name.`,
  );
