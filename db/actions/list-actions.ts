import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { ACTION_COLUMNS, SHORTENED_DEFINITION, toActionRecord, type ActionRecord, type ActionRow } from './records.ts';

const { definition: _cut, ...SHOWN_COLUMNS } = ACTION_COLUMNS;

export interface ListActionsFilter extends Range {
  /** An exact match. */
  name?: string | undefined;
  /** Each of these words is in the name or the description, in whatever case. */
  words?: readonly string[];
  includeArchived: boolean;
}

/** One page of actions, newest first, with the total count. Large configs, schemas and declarations of `verify` are shortened. */
export async function listActions(tx: EnvironmentTransaction, filter: ListActionsFilter): Promise<Page<ActionRecord>> {
  const { items, total } = await pageOf<ActionRow>(tx, {
    columns: `${selected(SHOWN_COLUMNS)}, ${SHORTENED_DEFINITION} AS definition`,
    from: 'actions',
    joins: 'JOIN action_versions ON action_versions.id = actions.current_version_id',
    where: `actions.environment_id = current_environment_id() AND (:includeArchived OR actions.archived_at IS NULL)
        AND NOT EXISTS (SELECT FROM unnest(CAST(:words AS text[])) word
          WHERE strpos(lower(actions.name || ' ' || COALESCE(actions.description, '')), lower(word)) = 0)`,
    filters: { name: 'actions.name = :name' },
    order: 'actions.created_at DESC, actions.id DESC',
    asked: { words: [], ...filter },
  });
  return { items: items.map(toActionRecord), total };
}
