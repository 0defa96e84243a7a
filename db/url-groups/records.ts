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
  /** Overrides the `maxRetries` of a publish request. Null: the request decides. */
  retryCount: number | null;
  createdAt: Date;
}

export type NewEndpoint = Pick<EndpointRecord, 'url' | 'name' | 'retryCount'>;

/** For `url_groups g`. */
export const GROUP_COLUMNS = `g.id, g.name, g.created_at AS "createdAt", g.updated_at AS "updatedAt",
  (SELECT count(*)::int FROM url_group_endpoints e WHERE e.group_id = g.id AND e.removed_at IS NULL) AS "endpointCount"`;

/** For `url_group_endpoints e`. */
export const ENDPOINT_COLUMNS = `e.id, e.url, e.name, e.retry_count AS "retryCount", e.created_at AS "createdAt"`;
