import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsOf, type Wanted } from './conditions.ts';
import { MEMORY_COLUMNS, MEMORY_COLUMNS_AS_OF, type MemoryRecord } from './records.ts';

/** One page of memories, the one recorded last first; as of a moment, as they were recorded then. */
export async function listMemories(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  range: Range,
): Promise<Page<MemoryRecord>> {
  const { sql, bindings } = conditionsOf(wanted);
  const columns = wanted.moment?.asOf === undefined ? MEMORY_COLUMNS : MEMORY_COLUMNS_AS_OF;
  return pageOf(tx, {
    columns,
    from: 'memories m',
    where: sql,
    order: 'm.created_at DESC, m.id DESC',
    asked: { ...bindings, ...range },
  });
}
