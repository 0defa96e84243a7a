import { uuidv7 } from 'uuidv7';
import { ServiceError } from '../../domain/errors.ts';
import { ENDPOINTS_PER_GROUP_MAX } from '../../domain/url-groups/url-groups.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conflictWhereTaken } from '../taken.ts';
import { ENDPOINT_COLUMNS, type EndpointRecord, type NewEndpoint, type UrlGroupRecord } from './records.ts';

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
  await tx.raw('UPDATE url_groups SET updated_at = now() WHERE id = ?', [group.id]);
  const { rows } = await tx
    .raw<{ rows: EndpointRecord[] }>(
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
  const { rows } = await tx.raw<{ rows: EndpointRecord[] }>(
    `WITH touched AS (UPDATE url_groups SET updated_at = now() WHERE id = :groupId)
     UPDATE url_group_endpoints e SET removed_at = now()
     WHERE e.group_id = :groupId AND e.id = CAST(:endpointId AS uuid) AND e.removed_at IS NULL RETURNING ${ENDPOINT_COLUMNS}`,
    { groupId, endpointId },
  );
  return rows[0] ?? null;
}
