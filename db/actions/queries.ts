import { isId } from '../../domain/ids.ts';
import type { ActionDefinition } from '../../domain/actions.ts';
import type { JsonObject } from '../../domain/json.ts';
import { KNOWN_ACTIONS_MAX, type KnownAction, type KnownNames } from '../../domain/impact-limits/known-names.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { type Page, pageOf, type Range, rowsAfter } from '../page.ts';
import {
  ACTION_COLUMNS,
  type ActionRecord,
  type ActionRow,
  type ActionVersionRecord,
  SHORTENED_DEFINITION,
  toActionRecord,
  VERSION_COLUMNS,
} from './records.ts';

const SELECTED = Object.entries(ACTION_COLUMNS)
  .map(([name, column]) => `${column} AS "${name}"`)
  .join(', ');

/**
 * Finds an action by `ref`: an id, which also finds an archived action, or the name of a live action. No name has the form of an
 * id, so a ref is never ambiguous.
 */
export async function getAction(tx: EnvironmentTransaction, ref: string): Promise<ActionRecord | null> {
  const which = isId('action', ref) ? 'actions.id = ?' : 'actions.name = ? AND actions.archived_at IS NULL';
  const rows = await tx.rows<ActionRow>(
    { variantsOf: 'get_action' },
    `SELECT ${SELECTED} FROM actions JOIN action_versions ON action_versions.id = actions.current_version_id WHERE ${which}`,
    [ref],
  );
  return rows[0] === undefined ? null : toActionRecord(rows[0]);
}

/** One version of an action, with its whole definition. */
export async function getVersion(
  tx: EnvironmentTransaction,
  actionId: string,
  number: number,
): Promise<ActionVersionRecord | null> {
  return tx.row<ActionVersionRecord>(
    'get_version',
    `SELECT ${selected(VERSION_COLUMNS)}, definition FROM action_versions WHERE action_id = ? AND number = ?`,
    [actionId, number],
  );
}

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
    name: 'list_actions',
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

/** One page of an action's versions, newest first, with the total count. Large configs, schemas and declarations of `verify` are shortened. */
export async function listVersions(
  tx: EnvironmentTransaction,
  actionId: string,
  range: Range,
): Promise<Page<ActionVersionRecord>> {
  return pageOf(tx, {
    name: 'list_actions_versions',
    columns: `${selected(VERSION_COLUMNS)}, ${SHORTENED_DEFINITION} AS definition`,
    from: 'action_versions',
    where: 'action_id = :actionId',
    order: 'number DESC',
    asked: { actionId, ...range },
  });
}

export interface PinnedPage {
  /** The name after which the page begins; the empty string is the beginning. */
  after: string;
  limit: number;
}

/** Live actions that are pinned as MCP tools, by name. A page by the last name stays right while actions come and go. */
export async function listPinnedActions(tx: EnvironmentTransaction, page: PinnedPage): Promise<ActionRecord[]> {
  const rows = await rowsAfter<ActionRow>(tx, {
    name: 'list_pinned_actions',
    columns: selected(ACTION_COLUMNS),
    from: 'actions JOIN action_versions ON action_versions.id = actions.current_version_id',
    where: 'actions.environment_id = current_environment_id() AND actions.mcp_pinned AND actions.archived_at IS NULL',
    key: 'actions.name COLLATE "C"',
    asked: page,
  });
  return rows.map(toActionRecord);
}

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
    name: 'list_tool_actions',
    columns: 'actions.name, actions.description, action_versions.definition',
    from: 'actions',
    joins: 'JOIN action_versions ON action_versions.id = actions.current_version_id',
    where: `actions.environment_id = current_environment_id() AND actions.archived_at IS NULL
        AND (CAST(:patterns AS text[]) = '{}' OR actions.name LIKE ANY (CAST(:patterns AS text[])))`,
    order: 'actions.name COLLATE "C"',
    asked: filter,
  });
}

/** Definitions by the id of their version. */
export async function readDefinitions(
  tx: EnvironmentTransaction,
  versionIds: readonly string[],
): Promise<Map<string, ActionDefinition>> {
  const rows = await tx.rows<{ id: string; definition: ActionDefinition }>(
    'read_definitions',
    'SELECT id, definition FROM action_versions WHERE id = ANY(?)',
    [versionIds],
  );
  return new Map(rows.map(({ id, definition }) => [id, definition]));
}

/** What the policies and limits of the transaction's environment may refer to. */
export async function readKnownNames(tx: EnvironmentTransaction): Promise<KnownNames> {
  const actions = await tx.rows<KnownAction>(
    'read_known_names',
    `SELECT a.name, v.definition->'approval'->>'tag' AS tag, v.definition->'adapter'->>'type' AS "adapterType",
       v.definition->'adapter'->>'version' AS "adapterVersion", v.definition->'impact' AS impact
     FROM actions a JOIN action_versions v ON v.id = a.current_version_id
     WHERE a.environment_id = current_environment_id() AND a.archived_at IS NULL LIMIT ?`,
    [KNOWN_ACTIONS_MAX + 1],
  );
  const { rows: keys } = await tx.raw<{ rows: KnownNames['keys'] }>(
    'read_known_names_2',
    `SELECT id, name, 'approvals:decide' = ANY (scopes) AS "canDecide" FROM api_keys
     WHERE environment_id = current_environment_id() AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    [],
  );
  const { rows: members } = await tx.raw<{ rows: KnownNames['members'] }>(
    'read_known_names_3',
    `SELECT m.user_id AS id, u.email, m.role FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.workspace_id = current_workspace_id()`,
    [],
  );
  return { actions: actions.length > KNOWN_ACTIONS_MAX ? null : actions, keys, members };
}

/** They are parsed on the event loop. */
const INPUT_SCHEMAS_BYTES_MAX = 1_048_576;

/** The input schemas of the environment's live actions by name: the smallest first, as many as fit into 1 MiB together. */
export async function readInputSchemas(tx: EnvironmentTransaction): Promise<Map<string, JsonObject>> {
  const rows = await tx.rows<{ name: string; schema: JsonObject }>(
    'read_input_schemas',
    `SELECT name, schema FROM (
       SELECT a.name, v.definition->'inputSchema' AS schema,
         sum(octet_length((v.definition->'inputSchema')::text)) OVER (ORDER BY octet_length((v.definition->'inputSchema')::text), a.name) AS bytes
       FROM actions a JOIN action_versions v ON v.id = a.current_version_id
       WHERE a.environment_id = current_environment_id() AND a.archived_at IS NULL) sized
     WHERE bytes <= ?`,
    [INPUT_SCHEMAS_BYTES_MAX],
  );
  return new Map(rows.map(({ name, schema }) => [name, schema]));
}
