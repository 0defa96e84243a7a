import { notFound, ServiceError } from '../../domain/errors.ts';
import { isId } from '../../domain/ids.ts';
import { nearNames } from '../../domain/near-names.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { listSimilarNames } from '../names.ts';

/** One endpoint of a group that is published to. */
export interface TargetEndpoint {
  groupId: string;
  id: string;
  url: string;
  /** Overrides the `maxRetries` of the request. Null leaves it to the request. */
  retryCount: number | null;
}

/**
 * The endpoints of each group that is named by its id or its name, all as of one moment. A name that no group has, and a group
 * without endpoints, is an error in the place of its endpoints.
 */
export async function findUrlGroups(
  tx: EnvironmentTransaction,
  refs: readonly string[],
): Promise<Map<string, TargetEndpoint[] | ServiceError>> {
  const wanted = [...new Set(refs)];
  const found = new Map<string, TargetEndpoint[] | ServiceError>();
  if (wanted.length === 0) return found;
  const rows = await tx.rows<GroupRow>('find_url_groups', FIND, { refs: wanted });
  for (const { ref, groupId, endpoints } of rows) {
    found.set(ref, endpoints.length > 0 ? endpoints.map((one) => ({ ...one, groupId })) : withoutEndpoints(ref));
  }
  for (const ref of wanted) if (!found.has(ref)) found.set(ref, await missingUrlGroup(tx, ref));
  return found;
}

interface GroupRow {
  /** As it was asked for. */
  ref: string;
  groupId: string;
  endpoints: Omit<TargetEndpoint, 'groupId'>[];
}

const FIND = `
  SELECT r.ref, g.id AS "groupId", COALESCE((
      SELECT json_agg(json_build_object('id', e.id, 'url', e.url, 'retryCount', e.retry_count) ORDER BY e.created_at, e.id)
      FROM url_group_endpoints e WHERE e.group_id = g.id AND e.removed_at IS NULL), '[]') AS endpoints
  FROM unnest(CAST(:refs AS text[])) AS r (ref)
    JOIN url_groups g ON g.environment_id = current_environment_id() AND g.deleted_at IS NULL AND (g.id = r.ref OR g.name = r.ref)`;

function withoutEndpoints(ref: string): ServiceError {
  return new ServiceError('CONFLICT', {
    message: `URL group "${ref}" has no endpoints, so there is nobody to deliver to. Add one with POST /api/v2/url-groups/{groupId}/endpoints and publish again.`,
  });
}

async function missingUrlGroup(tx: EnvironmentTransaction, ref: string): Promise<ServiceError> {
  if (isId('urlGroup', ref)) return notFound('URL group');
  return notFound('URL group', {
    names: nearNames(ref, await listSimilarNames(tx, 'url_groups', ref)),
    scope: 'url-groups:read',
  });
}
