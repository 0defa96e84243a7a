import { type Page, pageOf, type Range } from '../page.ts';
import type { ActionDefinition } from '../../domain/actions.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface ToolAction {
  name: string;
  description: string | null;
  definition: ActionDefinition;
}

export interface ListToolActionsFilter extends Range {
  /** Patterns of LIKE, of which a name must match one; none: every name. */
  patterns: readonly string[];
}

/** One page of live actions by name, with the total count. Their definitions are whole: a schema that is cut is another schema. */
export async function listToolActions(
  tx: EnvironmentTransaction,
  filter: ListToolActionsFilter,
): Promise<Page<ToolAction>> {
  return pageOf(tx, {
    columns: 'actions.name, actions.description, action_versions.definition',
    from: 'actions',
    joins: 'JOIN action_versions ON action_versions.id = actions.current_version_id',
    where: `actions.environment_id = current_environment_id() AND actions.archived_at IS NULL
        AND (CAST(:patterns AS text[]) = '{}' OR actions.name LIKE ANY (CAST(:patterns AS text[])))`,
    order: 'actions.name COLLATE "C"',
    asked: filter,
  });
}
