import { uuidv7 } from 'uuidv7';
import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import { ENDPOINTS_PER_GROUP_MAX, GROUPS_PER_ENVIRONMENT_MAX } from '../../domain/url-groups/url-groups.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import { conflictWhereTaken, nameTaken } from '../names.ts';

/** A URL group without its endpoints. */
export interface UrlGroupRecord {
  id: string;
  name: string;
  endpointCount: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface EndpointRecord {
  /** A plain UUID. */
  id: string;
  url: string;
  name: string | null;
  /** Overrides the `maxRetries` of a publish request. Null leaves it to the request. */
  retryCount: number | null;
  createdAt: Date;
}

type NewEndpoint = Pick<EndpointRecord, 'url' | 'name' | 'retryCount'>;

/** For `url_groups g`. */
const GROUP_COLUMNS = `g.id, g.name, g.created_at AS "createdAt", g.updated_at AS "updatedAt",
  (SELECT count(*)::int FROM url_group_endpoints e WHERE e.group_id = g.id AND e.removed_at IS NULL) AS "endpointCount"`;

/** For `url_group_endpoints e`. */
const ENDPOINT_COLUMNS = `e.id, e.url, e.name, e.retry_count AS "retryCount", e.created_at AS "createdAt"`;

export interface UrlGroupWithEndpoints extends UrlGroupRecord {
  /** In the order in which they were added. */
  endpoints: EndpointRecord[];
}

/** A group that is not deleted, with its endpoints. Null where there is none. */
export async function getUrlGroup(tx: EnvironmentTransaction, id: string): Promise<UrlGroupWithEndpoints | null> {
  const group = await tx.row<UrlGroupRecord>(
    'get_url_group',
    `SELECT ${GROUP_COLUMNS} FROM url_groups g WHERE g.id = ? AND g.deleted_at IS NULL`,
    [id],
  );
  return group === null ? null : withEndpoints(tx, group);
}

export async function withEndpoints(tx: EnvironmentTransaction, group: UrlGroupRecord): Promise<UrlGroupWithEndpoints> {
  const rows = await tx.rows<EndpointRecord>(
    'with_endpoints',
    `SELECT ${ENDPOINT_COLUMNS} FROM url_group_endpoints e WHERE e.group_id = ? AND e.removed_at IS NULL
     ORDER BY e.created_at, e.id`,
    [group.id],
  );
  // The list decides what is counted, so that the two never disagree between two statements.
  return { ...group, endpointCount: rows.length, endpoints: rows };
}

/** One page of groups that are not deleted, newest first. */
export async function listUrlGroups(
  tx: EnvironmentTransaction,
  asked: { name?: string | undefined } & Range,
): Promise<Page<UrlGroupRecord>> {
  return pageOf(tx, {
    name: 'list_url_groups',
    columns: GROUP_COLUMNS,
    from: 'url_groups g',
    where: 'g.environment_id = current_environment_id() AND g.deleted_at IS NULL',
    filters: { name: 'g.name = :name' },
    order: 'g.created_at DESC, g.id DESC',
    asked,
  });
}

/** Locks a group until the transaction ends: changes of a group and of its endpoints come one after another. Null where there is none. */
export async function lockUrlGroup(tx: EnvironmentTransaction, id: string): Promise<UrlGroupRecord | null> {
  const locked = await tx.raw<{ rows: unknown[] }>(
    'lock_url_group',
    'SELECT id FROM url_groups WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE',
    [id],
  );
  if (locked.rows.length === 0) return null;
  // A statement of its own, which sees the endpoints that others committed while this transaction waited for the lock.
  return tx.row<UrlGroupRecord>('lock_url_group_2', `SELECT ${GROUP_COLUMNS} FROM url_groups g WHERE g.id = ?`, [id]);
}

/** Creates a group without endpoints and returns its id. Throws CONFLICT where a group has the name, QUOTA_EXCEEDED at the limit. */
export async function createUrlGroup(tx: EnvironmentTransaction, name: string): Promise<string> {
  // Serialized: two requests that counted at the same time would both miss the other's group.
  await tx.raw(
    'create_url_group',
    "SELECT pg_advisory_xact_lock(hashtextextended('url-groups/' || current_environment_id(), 0))",
  );
  const row = await tx.row<{ live: number }>(
    'create_url_group_2',
    'SELECT count(*)::int AS live FROM url_groups WHERE environment_id = current_environment_id() AND deleted_at IS NULL',
  );
  if ((row?.live ?? 0) >= GROUPS_PER_ENVIRONMENT_MAX) {
    throw new ServiceError('QUOTA_EXCEEDED', {
      message: `An environment has at most ${GROUPS_PER_ENVIRONMENT_MAX} URL groups. Delete one that is no longer needed.`,
    });
  }
  const id = newId('urlGroup');
  await tx
    .raw(
      'create_url_group_3',
      'INSERT INTO url_groups (id, environment_id, name) VALUES (:id, current_environment_id(), :name)',
      {
        id,
        name,
      },
    )
    .catch(nameTaken('url_groups_live_name', name));
  return id;
}

/** Renames a group that the same transaction has locked. Throws CONFLICT where another group has the name. */
export async function renameUrlGroup(tx: EnvironmentTransaction, id: string, name: string): Promise<void> {
  await tx
    .raw('rename_url_group', 'UPDATE url_groups SET name = :name, updated_at = now() WHERE id = :id', { id, name })
    .catch(nameTaken('url_groups_live_name', name));
}

/** Deletes a group that the same transaction has locked. Its row stays for the messages that name it; its name is free. */
export async function deleteUrlGroup(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw('delete_url_group', 'UPDATE url_groups SET deleted_at = now(), updated_at = now() WHERE id = ?', [id]);
}

/**
 * Adds endpoints to a group that the same transaction has locked or made. Throws CONFLICT where the group has one of the URLs,
 * QUOTA_EXCEEDED where it would have too many.
 */
export async function addEndpoints(
  tx: EnvironmentTransaction,
  group: Pick<UrlGroupRecord, 'id' | 'endpointCount'>,
  endpoints: readonly NewEndpoint[],
): Promise<EndpointRecord[]> {
  if (endpoints.length === 0) return [];
  if (group.endpointCount + endpoints.length > ENDPOINTS_PER_GROUP_MAX) {
    throw new ServiceError('QUOTA_EXCEEDED', {
      message: `A URL group has at most ${ENDPOINTS_PER_GROUP_MAX} endpoints, and this one has ${group.endpointCount}. Remove one, or begin another group.`,
    });
  }
  await tx.raw('add_endpoints', 'UPDATE url_groups SET updated_at = now() WHERE id = ?', [group.id]);
  const rows = await tx
    .rows<EndpointRecord>(
      'add_endpoints_2',
      `INSERT INTO url_group_endpoints AS e (id, environment_id, group_id, url, name, retry_count)
       SELECT n.id, current_environment_id(), :groupId, n.url, n.name, n.retry_count
       FROM json_populate_recordset(CAST(NULL AS url_group_endpoints), CAST(:endpoints AS json)) n
       RETURNING ${ENDPOINT_COLUMNS}`,
      {
        groupId: group.id,
        // Ids that ascend keep the order of the request.
        endpoints: JSON.stringify(
          endpoints.map(({ url, name, retryCount }) => ({ id: uuidv7(), url, name, retry_count: retryCount })),
        ),
      },
    )
    .catch(
      conflictWhereTaken(
        'url_group_endpoints_live_url',
        'The group has an endpoint with this URL already; each publish would reach it twice. Remove that endpoint first to change its name or retryCount.',
      ),
    );
  return rows;
}

/**
 * Removes an endpoint of a group that the same transaction has locked. Messages that were published to it are delivered all the
 * same: they hold the URL. Null where the group has no such endpoint.
 */
export async function removeEndpoint(
  tx: EnvironmentTransaction,
  groupId: string,
  endpointId: string,
): Promise<EndpointRecord | null> {
  return tx.row<EndpointRecord>(
    'remove_endpoint',
    `WITH touched AS (UPDATE url_groups SET updated_at = now() WHERE id = :groupId)
     UPDATE url_group_endpoints e SET removed_at = now()
     WHERE e.group_id = :groupId AND e.id = CAST(:endpointId AS uuid) AND e.removed_at IS NULL RETURNING ${ENDPOINT_COLUMNS}`,
    { groupId, endpointId },
  );
}
