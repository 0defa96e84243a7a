import type { ActionDefinition } from '../../domain/actions.ts';
import { shortenedColumn } from '../columns.ts';

export interface VersionAuthor {
  type: string;
  id: string;
}

/** An action with its current version, the one that a new invocation uses. */
export interface ActionRecord {
  id: string;
  environmentId: string;
  name: string;
  description: string | null;
  definition: ActionDefinition;
  /** A tool of its own for MCP clients. Like the name, it is no part of the versions: it changes nothing that is sent. */
  mcpPinned: boolean;
  currentVersion: { id: string; number: number; digest: string };
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
}

/** One immutable version. `digest` is SHA-256 over the JCS bytes of `definition`. */
export interface ActionVersionRecord {
  id: string;
  actionId: string;
  number: number;
  digest: string;
  definition: ActionDefinition;
  createdBy: VersionAuthor;
  createdAt: Date;
  changeNote: string | null;
}

/** The input of a new version. The database assigns the number. */
export interface NewVersion {
  definition: ActionDefinition;
  digest: string;
  createdBy: VersionAuthor;
  changeNote: string | null;
}

/** Selected from `actions` joined with the current row of `action_versions`. */
export const ACTION_COLUMNS = {
  id: 'actions.id',
  environmentId: 'actions.environment_id',
  name: 'actions.name',
  description: 'actions.description',
  definition: 'action_versions.definition',
  mcpPinned: 'actions.mcp_pinned',
  versionId: 'action_versions.id',
  versionNumber: 'action_versions.number',
  versionDigest: 'action_versions.digest',
  createdAt: 'actions.created_at',
  updatedAt: 'actions.updated_at',
  archivedAt: 'actions.archived_at',
} as const;

const SHORTENED_MEMBERS = ['inputSchema', 'outputSchema', 'verify'];

/** For lists: a large config, schema or `verify` is shortened and remains a JSON object. */
export const SHORTENED_DEFINITION = `action_versions.definition || jsonb_build_object(
  'adapter', (action_versions.definition -> 'adapter') || jsonb_build_object(
    'config', ${shortenedColumn("(action_versions.definition #> '{adapter,config}')")}),
  ${SHORTENED_MEMBERS.map((name) => `'${name}', ${shortenedColumn(`(action_versions.definition -> '${name}')`)}`).join(', ')})`;

export type ActionRow = Omit<ActionRecord, 'currentVersion'> & {
  versionId: string;
  versionNumber: number;
  versionDigest: string;
};

export function toActionRecord({ versionId, versionNumber, versionDigest, ...row }: ActionRow): ActionRecord {
  return { ...row, currentVersion: { id: versionId, number: versionNumber, digest: versionDigest } };
}

/** Without the definition, which lists shorten. */
export const VERSION_COLUMNS = {
  id: 'action_versions.id',
  actionId: 'action_versions.action_id',
  number: 'action_versions.number',
  digest: 'action_versions.digest',
  createdBy: 'action_versions.created_by',
  createdAt: 'action_versions.created_at',
  changeNote: 'action_versions.change_note',
} as const;
