import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { ACTION_COLUMNS, SHORTENED_DEFINITION, toActionRecord, type ActionRecord, type ActionRow } from './records.ts';

const { definition: _cut, ...SHOWN_COLUMNS } = ACTION_COLUMNS;

export interface ListActionsFilter {
  /** An exact match. */
  name?: string | undefined;
  /** Each of these words is in the name or the description, in whatever case. */
  words?: readonly string[];
  includeArchived: boolean;
  limit: number;
  offset: number;
}

/** One page of actions, newest first, with the total count. Large configs, schemas and declarations of `verify` are shortened. */
export async function listActions(
  tx: EnvironmentTransaction,
  filter: ListActionsFilter,
): Promise<{ items: ActionRecord[]; total: number }> {
  const where = `WHERE actions.environment_id = current_environment_id()
    AND (CAST(:name AS text) IS NULL OR actions.name = :name) AND (:includeArchived OR actions.archived_at IS NULL)
    AND NOT EXISTS (SELECT FROM unnest(CAST(:words AS text[])) word
      WHERE strpos(lower(actions.name || ' ' || COALESCE(actions.description, '')), lower(word)) = 0)`;
  const bindings = { name: filter.name ?? null, includeArchived: filter.includeArchived, words: filter.words ?? [] };
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    `SELECT count(*)::int AS total FROM actions ${where}`,
    bindings,
  );
  const page = await tx.raw<{ rows: ActionRow[] }>(
    `SELECT ${selected(SHOWN_COLUMNS)}, ${SHORTENED_DEFINITION} AS definition
     FROM actions JOIN action_versions ON action_versions.id = actions.current_version_id ${where}
     ORDER BY actions.created_at DESC, actions.id DESC LIMIT :limit OFFSET :offset`,
    { ...bindings, limit: filter.limit, offset: filter.offset },
  );
  return { items: page.rows.map(toActionRecord), total: counted.rows[0]?.total ?? 0 };
}
