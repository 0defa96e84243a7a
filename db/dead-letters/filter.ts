import type { DeadLetterFilter } from '../../domain/dead-letters/dead-letters.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The id of the live group that has this name, or what was given, where it is no such name. */
const GROUP_ID = `COALESCE((
    SELECT g.id FROM url_groups g
    WHERE g.environment_id = current_environment_id() AND g.name = :urlGroup AND g.deleted_at IS NULL), :urlGroup)`;

const matching = (groupId: string): string => `d.environment_id = current_environment_id()
  AND (CAST(:url AS text) IS NULL OR d.url = :url)
  AND (CAST(:urlGroup AS text) IS NULL OR d.url_group_id = ${groupId})
  AND (CAST(:scheduleId AS text) IS NULL OR d.schedule_id = :scheduleId)
  AND (CAST(:responseStatus AS integer) IS NULL OR d.response_status = :responseStatus)
  AND (CAST(:label AS text) IS NULL OR d.label = :label)
  AND (CAST(:reason AS text) IS NULL OR d.reason = :reason)
  AND (CAST(:startDate AS timestamptz) IS NULL OR d.failed_at > :startDate)
  AND (CAST(:endDate AS timestamptz) IS NULL OR d.failed_at < :endDate)`;

/** The condition of a filter on `dead_letters d`. Every filter is the same text, so that a statement is prepared once. */
export const MATCHES = matching(GROUP_ID);
/** The same for a filter that names its group by id alone (`withGroupId`). */
export const MATCHES_BY_ID = matching(':urlGroup');

/**
 * The filter with the id of the group that has the name now, for later use: the group may be renamed, and another one may take its name.
 */
export async function withGroupId(tx: EnvironmentTransaction, filter: DeadLetterFilter): Promise<DeadLetterFilter> {
  const { urlGroup } = filter;
  if (urlGroup === undefined) return filter;
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(`SELECT ${GROUP_ID} AS id`, { urlGroup });
  return { ...filter, urlGroup: rows[0]?.id ?? urlGroup };
}

export function bindingsOf(filter: DeadLetterFilter) {
  return {
    url: filter.url ?? null,
    urlGroup: filter.urlGroup ?? null,
    scheduleId: filter.scheduleId ?? null,
    responseStatus: filter.responseStatus ?? null,
    label: filter.label ?? null,
    reason: filter.reason ?? null,
    startDate: filter.startDate ?? null,
    endDate: filter.endDate ?? null,
  };
}
