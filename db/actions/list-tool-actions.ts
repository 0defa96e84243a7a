import type { ActionDefinition } from '../../domain/actions.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface ToolAction {
  name: string;
  description: string | null;
  definition: ActionDefinition;
}

export interface ListToolActionsFilter {
  /** Patterns of LIKE, of which a name must match one; none: every name. */
  patterns: readonly string[];
  limit: number;
  offset: number;
}

/** One page of live actions by name, with the total count. Their definitions are whole: a schema that is cut is another schema. */
export async function listToolActions(
  tx: EnvironmentTransaction,
  { patterns, limit, offset }: ListToolActionsFilter,
): Promise<{ items: ToolAction[]; total: number }> {
  const where = `WHERE actions.environment_id = current_environment_id() AND actions.archived_at IS NULL
    AND (CAST(:patterns AS text[]) = '{}' OR actions.name LIKE ANY (CAST(:patterns AS text[])))`;
  const counted = await tx.raw<{ rows: { total: number }[] }>(`SELECT count(*)::int AS total FROM actions ${where}`, {
    patterns,
  });
  const { rows } = await tx.raw<{ rows: ToolAction[] }>(
    `SELECT actions.name, actions.description, action_versions.definition
     FROM actions JOIN action_versions ON action_versions.id = actions.current_version_id ${where}
     ORDER BY actions.name COLLATE "C" LIMIT :limit OFFSET :offset`,
    { patterns, limit, offset },
  );
  return { items: rows, total: counted.rows[0]?.total ?? 0 };
}
