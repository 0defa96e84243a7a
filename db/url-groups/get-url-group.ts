import type { EnvironmentTransaction } from '../client.ts';
import { ENDPOINT_COLUMNS, type EndpointRecord, GROUP_COLUMNS, type UrlGroupRecord } from './records.ts';

export interface UrlGroupWithEndpoints extends UrlGroupRecord {
  /** In the order in which they were added. */
  endpoints: EndpointRecord[];
}

/** A group that is not deleted, with its endpoints. Null where there is none. */
export async function getUrlGroup(tx: EnvironmentTransaction, id: string): Promise<UrlGroupWithEndpoints | null> {
  const { rows } = await tx.raw<{ rows: UrlGroupRecord[] }>(
    `SELECT ${GROUP_COLUMNS} FROM url_groups g WHERE g.id = ? AND g.deleted_at IS NULL`,
    [id],
  );
  const [group] = rows;
  return group === undefined ? null : withEndpoints(tx, group);
}

export async function withEndpoints(tx: EnvironmentTransaction, group: UrlGroupRecord): Promise<UrlGroupWithEndpoints> {
  const { rows } = await tx.raw<{ rows: EndpointRecord[] }>(
    `SELECT ${ENDPOINT_COLUMNS} FROM url_group_endpoints e WHERE e.group_id = ? AND e.removed_at IS NULL
     ORDER BY e.created_at, e.id`,
    [group.id],
  );
  // The list decides what is counted, so that the two never disagree between two statements.
  return { ...group, endpointCount: rows.length, endpoints: rows };
}
