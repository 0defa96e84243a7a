import type { EnvironmentTransaction } from './client.ts';

/** More names than anybody compares by eye; the query stays small in an environment of any size. */
const NAMES_MAX = 2_000;

/** The names of live actions, secrets, URL groups or topics whose length is near that of `name`: what a misspelt name may stand for. */
export async function listSimilarNames(
  tx: EnvironmentTransaction,
  of: 'actions' | 'secrets' | 'url_groups' | 'topics',
  name: string,
): Promise<string[]> {
  const live = of === 'actions' ? 'archived_at IS NULL' : 'deleted_at IS NULL';
  const { rows } = await tx.raw<{ rows: { name: string }[] }>(
    `SELECT name FROM ${of} WHERE environment_id = current_environment_id() AND ${live}
       AND abs(char_length(name) - char_length(:name)) <= char_length(:name) / 4 + 1 ORDER BY name LIMIT :most`,
    { name, most: NAMES_MAX },
  );
  return rows.map((row) => row.name);
}
