import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { LIMIT_COLUMNS, type LimitDetail, type LimitRecord } from './records.ts';
import { withCounters } from './with-counters.ts';

export interface ListLimitsFilter extends Range {
  dimension?: string | undefined;
  includeArchived: boolean;
}

/** One page of limits, newest first, with their current counters and the total count. */
export async function listImpactLimits(
  tx: EnvironmentTransaction,
  filter: ListLimitsFilter,
  now: Date = new Date(),
): Promise<Page<LimitDetail>> {
  const { items, total } = await pageOf<LimitRecord>(tx, {
    columns: LIMIT_COLUMNS,
    from: 'impact_limits l',
    where: 'l.environment_id = current_environment_id() AND (:includeArchived OR l.archived_at IS NULL)',
    filters: { dimension: 'l.dimension = :dimension' },
    order: 'l.created_at DESC, l.id DESC',
    asked: filter,
  });
  return { items: await withCounters(tx, items, now), total };
}
