import { ServiceError } from '../domain/errors.ts';
import type { EnvironmentTransaction } from './client.ts';

const UNIQUE_VIOLATION = '23505';

/** The sentence for each name that only one row may have, by its unique constraint. */
const NAMES = {
  actions_live_name: (name: string) =>
    `An action named "${name}" exists in this environment. Change that one, archive it, or choose another name.`,
  approval_policies_live_name: (name: string) =>
    `An approval policy named "${name}" exists in this environment. Change that one, delete it, or choose another name.`,
  environments_workspace_id_name_key: (name: string) =>
    `An environment named "${name}" exists in this workspace. Choose another name.`,
  impact_limits_live_name: (name: string) =>
    `An impact limit named "${name}" exists in this environment. Change that one, archive it, or choose another name.`,
  topics_live_name: (name: string) =>
    `A topic named "${name}" exists in this environment. Use that one, delete it, or choose another name.`,
  url_groups_live_name: (name: string) =>
    `A URL group named "${name}" exists in this environment. Use that one, delete it, or choose another name.`,
};

/** For `.catch`: turns a violation of the unique `constraint` into CONFLICT, which says who has the name, and rethrows any other error. */
export function nameTaken(constraint: keyof typeof NAMES, name: string): (error: unknown) => never {
  return conflictWhereTaken(constraint, NAMES[constraint](name));
}

/** For `.catch`: turns a violation of the unique `constraint` into CONFLICT with this message and rethrows any other error. */
export function conflictWhereTaken(constraint: string, message: string): (error: unknown) => never {
  return (error) => {
    const facts = error as { code?: unknown; constraint?: unknown } | null;
    if (facts?.code === UNIQUE_VIOLATION && facts.constraint === constraint) {
      throw new ServiceError('CONFLICT', { message, cause: error });
    }
    throw error;
  };
}

/** More names than anybody compares by eye; the query stays small in an environment of any size. */
const NAMES_MAX = 2_000;

/** The names of live actions, secrets, URL groups or topics whose length is near that of `name`: what a misspelt name may stand for. */
export async function listSimilarNames(
  tx: EnvironmentTransaction,
  of: 'actions' | 'secrets' | 'url_groups' | 'topics',
  name: string,
): Promise<string[]> {
  const live = of === 'actions' ? 'archived_at IS NULL' : 'deleted_at IS NULL';
  const rows = await tx.rows<{ name: string }>(
    { variantsOf: 'list_similar_names' },
    `SELECT name FROM ${of} WHERE environment_id = current_environment_id() AND ${live}
       AND abs(char_length(name) - char_length(:name)) <= char_length(:name) / 4 + 1 ORDER BY name LIMIT :most`,
    { name, most: NAMES_MAX },
  );
  return rows.map((row) => row.name);
}
